use bytes::Bytes;
use domain::hash::{Blob, BlobRef};

use super::rig::{Rig, forked, message, messages, session};
use crate::{Log, SMALL_BLOB};

pub(crate) async fn blobs_of_any_size_come_back_through_forks(rig: &Rig) {
    let (root, child, stranger) = (session("root"), session("child"), session("stranger"));
    let sizes = [0, 1, 1000, SMALL_BLOB];
    let small: Vec<Bytes> = sizes
        .iter()
        .map(|size| Bytes::from(vec![9; *size]))
        .collect();
    let mut append = rig.next(&root, 0, messages(1));
    append.blobs = small.iter().cloned().map(Blob::of).collect();
    rig.log.append(append).await.expect("appends");
    let large = Bytes::from(vec![7; SMALL_BLOB * 3]);
    let put = rig.put(&root, large.clone()).await;
    rig.append(&child, vec![forked(&root, 1)]).await;
    rig.append(&stranger, vec![message("hello")]).await;

    for bytes in small.iter().chain([&large]) {
        let hash = BlobRef::of(bytes).sha256;
        for stream in [&root, &child] {
            assert_eq!(
                rig.log.get_blob(stream, &hash).await,
                Ok(Some(bytes.clone()))
            );
        }
        assert_eq!(rig.log.get_blob(&stranger, &hash).await, Ok(None));
    }
    // The same content again, in every way, changes nothing.
    rig.put(&root, large.clone()).await;
    let mut again = rig.next(&root, 1, messages(1));
    again.blobs = vec![Blob::of(small[2].clone()), Blob::of(small[2].clone())];
    rig.log.append(again).await.expect("appends");
    assert_eq!(rig.log.get_blob(&root, &put.sha256).await, Ok(Some(large)));
    rig.sound().await;
}

pub(crate) async fn blobs_may_come_before_their_session(rig: &Rig) {
    let (one, two, root, fork) = (
        session("one"),
        session("two"),
        session("root"),
        session("fork"),
    );
    let (small, large) = (
        Bytes::from_static(b"small"),
        Bytes::from(vec![3; SMALL_BLOB + 1]),
    );
    // The first append may already be on its way, sealed with another key, when the blob comes.
    let (small_ref, _) = tokio::join!(rig.put(&one, small.clone()), rig.append(&one, messages(1)));
    let large_ref = rig.put(&two, large.clone()).await;
    assert_eq!(rig.log.version(&two).await, Ok(None));
    assert_eq!(
        rig.log
            .sessions("ann", None, 10)
            .await
            .expect("reads")
            .len(),
        1
    );
    rig.append(&two, messages(1)).await;
    assert_eq!(
        rig.log.get_blob(&one, &small_ref.sha256).await,
        Ok(Some(small))
    );
    assert_eq!(
        rig.log.get_blob(&two, &large_ref.sha256).await,
        Ok(Some(large.clone()))
    );
    // And before a fork.
    rig.append(&root, messages(2)).await;
    rig.put(&fork, large.clone()).await;
    rig.append(&fork, vec![forked(&root, 1)]).await;
    assert_eq!(rig.log.read(&fork, 0, 10).await.expect("reads").len(), 2);
    assert_eq!(
        rig.log.get_blob(&fork, &large_ref.sha256).await,
        Ok(Some(large))
    );
    rig.sound().await;
}
