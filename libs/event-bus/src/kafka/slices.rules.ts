/** Messages `from` … `to - 1` of each of several chunks. */
export type Slice = { chunk: number; from: number; to: number }[];

/**
 * Takes the next messages of the chunks, at most `limit` in all: the same share of each, what one cannot use goes to
 * the others. Within a chunk the order stays; a large one does not keep small ones waiting.
 */
export function cutSlice(chunks: readonly { from: number; to: number }[], limit: number): Slice {
  const taken = chunks.map(() => 0);
  let room = limit;
  for (let open = chunks.map((_, index) => index); room > 0 && open.length > 0;) {
    const share = Math.max(1, Math.floor(room / open.length));
    for (const index of open) {
      const chunk = chunks[index];
      const left = chunk ? chunk.to - chunk.from - (taken[index] ?? 0) : 0;
      const more = Math.min(share, left, room);
      taken[index] = (taken[index] ?? 0) + more;
      room -= more;
    }
    open = open.filter((index) => {
      const chunk = chunks[index];
      return chunk !== undefined && (taken[index] ?? 0) < chunk.to - chunk.from;
    });
  }
  return chunks.flatMap(({ from }, chunk) => {
    const count = taken[chunk] ?? 0;
    return count > 0 ? [{ chunk, from, to: from + count }] : [];
  });
}
