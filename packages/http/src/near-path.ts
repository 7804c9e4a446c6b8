const MAX_DISTANCE = 2;

/**
 * The route whose pattern is nearest to a path that is not served, as the documentation writes it: `/api/v1/websites/{id}`.
 * It differs in letter case, a trailing slash, a letter or two, or lacks what routes begin with (`/websites`).
 */
export function nearestPattern(path: string, patterns: Iterable<string>): string | undefined {
  const wanted = path.toLowerCase().replace(/\/+$/, '');
  if (wanted.length < 2) return undefined;
  let nearest: { readonly pattern: string; readonly distance: number } | undefined;
  for (const pattern of patterns) {
    if (pattern.includes('*')) continue;
    const distance = pattern.endsWith(wanted) ? MAX_DISTANCE : distanceOf(wanted.split('/'), pattern.split('/'));
    if (distance <= MAX_DISTANCE && distance < (nearest?.distance ?? Number.POSITIVE_INFINITY)) {
      nearest = { pattern, distance };
    }
  }
  return nearest?.pattern.replaceAll(/:(\w+)/g, '{$1}');
}

/** The letters by which a path differs from a pattern, segment by segment; any text is a parameter. */
function distanceOf(path: readonly string[], pattern: readonly string[]): number {
  if (path.length !== pattern.length) return Number.POSITIVE_INFINITY;
  let distance = 0;
  for (const [index, segment] of pattern.entries()) {
    const text = path[index] ?? '';
    if (segment === text) continue;
    if (segment.startsWith(':')) {
      if (text === '') return Number.POSITIVE_INFINITY;
      continue;
    }
    distance += lettersBetween(text, segment);
    if (distance > MAX_DISTANCE) break;
  }
  return distance;
}

/** The letters to add, drop or replace; infinite where that leaves little of a short segment, or is more than two. */
function lettersBetween(a: string, b: string): number {
  const most = b.length < 2 ? 0 : b.length < 6 ? 1 : MAX_DISTANCE;
  if (Math.abs(a.length - b.length) > most) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1];
    for (let at = 0; at < b.length; at += 1) {
      const replaced = (row[at] ?? 0) + (letter === b[at] ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  const distance = row.at(-1) ?? 0;
  return distance > most ? Number.POSITIVE_INFINITY : distance;
}
