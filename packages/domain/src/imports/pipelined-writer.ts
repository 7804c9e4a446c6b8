/** Stores one batch while the next is read, so that reading and storing each have a core. */
interface PipelinedWriter {
  /** A function that begins to store a batch once the one before it is stored, and rejects with the error of that one. */
  writerOf<Batch>(store: (batch: Batch) => Promise<void>): (batch: Batch) => Promise<void>;
  /** Reads, and waits until the last batch is stored, whether or not the reading succeeds. */
  finishAfter<Result>(read: () => Promise<Result>): Promise<Result>;
}

export function createPipelinedWriter(): PipelinedWriter {
  let storing = Promise.resolve();
  return {
    writerOf: (store) => async (batch) => {
      await storing;
      storing = store(batch);
      // Thrown where it is awaited.
      storing.catch(() => {});
    },

    async finishAfter(read) {
      try {
        return await read();
      } finally {
        await storing;
      }
    },
  };
}
