//! Recent frames of one wire of one session, bounded by their bytes.

use std::collections::VecDeque;

use projections::{Cursor, Frame};

use super::limits::Limits;

pub(super) struct Ring {
    frames: VecDeque<Frame>,
    bytes: usize,
    bytes_max: usize,
    /// The ring has every frame that was pushed after this cursor.
    from: Cursor,
}

impl Ring {
    pub(super) fn new(bytes_max: usize, from: Cursor) -> Self {
        Self {
            frames: VecDeque::new(),
            bytes: 0,
            bytes_max,
            from,
        }
    }

    pub(super) fn push(&mut self, frame: Frame) {
        self.bytes += frame.size();
        self.frames.push_back(frame);
        while self.bytes > self.bytes_max {
            let Some(oldest) = self.frames.pop_front() else {
                return;
            };
            self.bytes -= oldest.size();
            self.from = oldest.cursor;
        }
    }

    /// Whether every frame after this cursor is still here.
    pub(super) fn covers(&self, after: Cursor) -> bool {
        after >= self.from
    }

    /// The next batch after this cursor.
    pub(super) fn batch(&self, after: Cursor, limits: &Limits) -> Vec<Frame> {
        let first = self.frames.partition_point(|frame| frame.cursor <= after);
        let mut size = BatchSize::default();
        self.frames
            .range(first..)
            .take_while(|frame| size.admits(frame, limits))
            .cloned()
            .collect()
    }
}

/// How full a batch is.
#[derive(Default)]
pub(super) struct BatchSize {
    frames: usize,
    bytes: usize,
}

impl BatchSize {
    /// Adds the frame to the batch if there is room for it. The first one always has room.
    pub(super) fn admits(&mut self, frame: &Frame, limits: &Limits) -> bool {
        let bytes = self.bytes + frame.size();
        let fits =
            self.frames == 0 || (self.frames < limits.batch_frames && bytes <= limits.batch_bytes);
        if fits {
            self.frames += 1;
            self.bytes = bytes;
        }
        fits
    }
}
