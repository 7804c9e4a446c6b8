/** A page of a list, as the API sends it. */
export interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly links: { readonly next: string | null };
}

/**
 * The rows of a whole list, read page by page as they are needed. `readPage` gets the part of the query that tells where the
 * page begins: `listAll((page) => client.GET('/api/v1/websites', { params: { query: page } }))`.
 */
export async function* listAll<Row>(
  readPage: (query: { cursor?: string }) => Promise<{ readonly data: ListPage<Row> }>,
): AsyncGenerator<Row, void, undefined> {
  let query: { cursor?: string } | undefined = {};
  while (query !== undefined) {
    const { data: page }: { readonly data: ListPage<Row> } = await readPage(query);
    yield* page.data;
    query = queryOf(page.links.next);
  }
}

function queryOf(next: string | null): { cursor?: string } | undefined {
  const cursor = next === null ? null : new URLSearchParams(next.replace(/^[^?]*/, '')).get('cursor');
  return cursor === null ? undefined : { cursor };
}
