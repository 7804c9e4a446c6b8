/** Text with its numbers as people write them: `4,711`, `0.4`. */
export function withNumbers(texts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  const written = values.map((value) =>
    typeof value === 'string' ? value : value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 }),
  );
  return texts.map((text, place) => text + (written[place] ?? '')).join('');
}

/** Adds up counts by name. */
export function addTo<Name extends string>(
  sum: Record<Name, number>,
  counts: Readonly<Record<NoInfer<Name>, number>>,
): void {
  for (const name in sum) sum[name] += counts[name];
}

/** Counts by status: `12 × 200, 3 × 404`. */
export function tallyOf(statuses: ReadonlyMap<number, number>): string {
  return [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => withNumbers`${count} × ${String(status)}`)
    .join(', ');
}
