import leven from 'leven';

const MAX_DISTANCE = 2;

/** Longer paths are not mistyped, and would cost time. */
const MAX_LENGTH = 200;

/**
 * The route nearest to an unknown path, as the documentation writes it: `/api/v1/websites/{id}`. The path may differ
 * in letter case, slashes or a letter or two, or lack the prefix (`/websites`).
 */
export function nearestPattern(path: string, patterns: Iterable<string>): string | undefined {
  if (path.length > MAX_LENGTH) return undefined;
  const wanted = path
    .toLowerCase()
    .replace(/\/{2,}/g, '/')
    .replace(/\/$/, '');
  if (wanted.length < 2) return undefined;
  const parts = wanted.split('/');
  let nearest: { readonly pattern: string; readonly distance: number } | undefined;
  for (const pattern of patterns) {
    const distance = pattern.endsWith(wanted) ? MAX_DISTANCE : distanceOf(parts, pattern.split('/'));
    if (distance <= MAX_DISTANCE && distance < (nearest?.distance ?? Number.POSITIVE_INFINITY)) {
      nearest = { pattern, distance };
    }
  }
  return nearest?.pattern.replaceAll(/:(\w+)/g, '{$1}');
}

/** The number of letters in which a path differs from a pattern, segment by segment; a parameter matches any string. */
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

/** The number of letters to add, drop or replace; infinite if it is more than two, or too many for a short segment. */
function lettersBetween(a: string, b: string): number {
  const most = b.length < 2 ? 0 : b.length < 6 ? 1 : MAX_DISTANCE;
  const distance = leven(a, b, { maxDistance: most + 1 });
  return distance > most ? Number.POSITIVE_INFINITY : distance;
}
