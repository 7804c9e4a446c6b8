/** Writes decoded parameters as the query of a link. */
export function writeQuery(parameters: Readonly<Record<string, string | number>>): string {
  const texts = Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]);
  return new URLSearchParams(texts).toString();
}
