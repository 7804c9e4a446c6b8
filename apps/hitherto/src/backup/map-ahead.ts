/** Maps items in their order, up to `count` at the same time. */
export async function* mapAhead<Item, Result>(
  items: AsyncIterable<Item>,
  count: number,
  work: (item: Item, index: number) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = [];
  let index = 0;
  for await (const item of items) {
    const result = work(item, index);
    // It is awaited below; until then a rejection counts as handled.
    result.catch(() => {});
    running.push(result);
    index += 1;
    const first = running.length < count ? undefined : running.shift();
    if (first !== undefined) yield await first;
  }
  for (const result of running) yield await result;
}
