//! Memory for launch parameters: small parts of uniform buffers, written once.

/// A piece of a page, kept by the bind group that names it.
#[derive(Clone)]
pub(crate) struct Piece {
    pub(crate) page: wgpu::Buffer,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

/// Pages that are filled one after another. A page is freed when no bind group names it.
pub(crate) struct Pages {
    align: u64,
    page: Option<wgpu::Buffer>,
    used: u64,
    /// What is to be written to the page before the next submission, from `start` on.
    pending: Vec<u32>,
    start: u64,
}

/// The parameters of some hundred launches.
const PAGE: u64 = 64 << 10;

impl Pages {
    pub(crate) fn new(align: u32) -> Pages {
        let align = u64::from(align.max(16));
        Pages { align, page: None, used: 0, pending: Vec::new(), start: 0 }
    }

    /// Room for `words`, which are there once [`Pages::flush`] was called.
    pub(crate) fn put(&mut self, gpu: &wgpu::Device, queue: &wgpu::Queue, words: &[u32]) -> Piece {
        // Structs in uniform memory are multiples of 16 bytes.
        let bytes = (size_of_val(words) as u64).max(4).next_multiple_of(16);
        let room = bytes.next_multiple_of(self.align);
        if self.page.is_none() || self.used + room > PAGE {
            self.flush(queue);
            let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
            self.page = Some(gpu.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: PAGE.max(room),
                usage,
                mapped_at_creation: false,
            }));
            (self.used, self.start) = (0, 0);
        }
        let offset = self.used;
        self.used += room;
        self.pending.extend(words);
        self.pending.resize(((self.used - self.start) / 4) as usize, 0);
        let page = self.page.clone().expect("made above");
        Piece { page, offset, bytes }
    }

    /// Sends what was put since the last time.
    pub(crate) fn flush(&mut self, queue: &wgpu::Queue) {
        if let Some(page) = &self.page
            && !self.pending.is_empty()
        {
            let bytes: Vec<u8> = self.pending.iter().flat_map(|word| word.to_le_bytes()).collect();
            queue.write_buffer(page, self.start, &bytes);
        }
        self.pending.clear();
        self.start = self.used;
    }
}
