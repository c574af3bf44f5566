use super::super::{HTML_BYTES_MAX, HTML_DEPTH_MAX, TemplateError, from_html, headings, is_html};

#[track_caller]
fn becomes(html: &str, markdown: &str) {
    assert_eq!(from_html(html).as_deref(), Ok(markdown));
}

#[test]
fn headings_lists_and_links_become_markdown() {
    becomes(
        "<!doctype html><html><head><title>t</title></head><body><h1>报告 <em>一</em></h1><p>文&amp;字<br>行</p>\
         <ul><li>甲<ul><li>子</li></ul></li><li>乙</li></ul><ol start=\"3\"><li>三</li><li>四</li></ol>\
         <p><a href=\"https://e.org/\">link</a> <strong>b</strong> <code>c</code></p><blockquote><p>q</p></blockquote><hr></body></html>",
        "# 报告 *一*\n\n文&字  \n行\n\n- 甲\n  - 子\n- 乙\n\n3. 三\n4. 四\n\n[link](https://e.org/) **b** `c`\n\n> q\n\n- - -\n",
    );
}

#[test]
fn tables_survive_with_and_without_a_head() {
    let table = "| 年 | 值 |\n| --- | --- |\n| 2023 | 1\\|2 |\n| 2024<br>Q1 |  |\n";
    becomes(
        "<table><thead><tr><th>年</th><th>值</th></tr></thead><tbody><tr><td>2023</td><td>1|2</td></tr>\
         <tr><td><p>2024</p><p>Q1</p></td></tr></tbody></table>",
        table,
    );
    becomes(
        "<table><tr><td>年</td><td>值</td></tr><tr><td>2023</td><td>1|2</td></tr><tr><td>2024<br>Q1</td><td></td></tr></table>",
        table,
    );
    becomes(
        "<table><caption>表一</caption><tr><th colspan=2>宽</th></tr><tr><td>a</td><td><ul><li>b</li><li>c</li></ul></td></tr></table>",
        "表一\n\n| 宽 |  |\n| --- | --- |\n| a | - b<br>- c |\n",
    );
}

#[test]
fn scripts_leave_nothing_not_even_their_text() {
    let html = "<h1>T</h1><script>alert('secret')</script><style>p{secret:1}</style><iframe src=x>secret</iframe>\
                <noscript>secret</noscript><svg><script>secret</script><title>secret</title></svg><p onclick=\"secret()\">ok</p>\
                <a href=\"javascript:secret()\">a</a><!-- secret --><template>secret</template>";
    let markdown = from_html(html).expect("HTML");
    assert!(!markdown.contains("secret"), "{markdown}");
    assert_eq!(headings(&markdown), [(1, "T".to_owned())]);
}

#[test]
fn too_much_html_is_refused() {
    let long = "x".repeat(HTML_BYTES_MAX + 1);
    assert!(matches!(
        from_html(&long),
        Err(TemplateError::HtmlTooLarge { .. })
    ));
    let deep = "<div>".repeat(HTML_DEPTH_MAX * 100) + "x";
    assert_eq!(
        from_html(&deep),
        Err(TemplateError::HtmlTooDeep {
            max: HTML_DEPTH_MAX
        })
    );
}

#[test]
fn html_is_told_from_markdown() {
    for (name, text) in [
        ("a.html", "x"),
        ("A.HTM", "# x"),
        ("template", "<!DOCTYPE html><html>"),
        ("x", " \n<!-- c --> <H1>t</H1>"),
        ("x.bin", "<p>t</p>"),
    ] {
        assert!(is_html(name, text), "{name}: {text}");
    }
    for (name, text) in [
        ("a.md", "<h1>x</h1>"),
        ("x", "# x\n\n<div>y</div>"),
        ("x", ""),
        ("x", "a < b"),
    ] {
        assert!(!is_html(name, text), "{name}: {text}");
    }
}

#[test]
fn a_table_that_grows_is_refused() {
    let wide = "<td colspan=100>a</td>".repeat(100);
    let table = format!(
        "<table><tr>{wide}</tr>{}</table>",
        "<tr><td>b</td></tr>".repeat(10)
    );
    assert_eq!(
        from_html(&table),
        Err(TemplateError::TooManyCells { max: 50_000 })
    );
}
