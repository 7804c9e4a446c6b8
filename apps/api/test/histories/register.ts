import { isDeepStrictEqual } from 'node:util';
import type { WebsiteJson } from '@hitherto/testing/website-json';

/** One request to one website, with its start and end on the clients' common clock, and its outcome. */
export interface Observed {
  readonly kind: 'create' | 'update' | 'delete' | 'read';
  readonly start: number;
  readonly end: number;
  /** The website in the response; `undefined` if the response says it is gone, or says nothing. */
  readonly website?: WebsiteJson | undefined;
  readonly etag?: string | undefined;
  readonly status: number;
  /** The changes of an update. */
  readonly changes?: Partial<WebsiteJson>;
  /** The version in `If-Match`. */
  readonly ifMatch?: string | undefined;
}

/**
 * Checks that the observations of one website are linearizable: as if each request took effect at one moment between its
 * start and its end. Every write makes its own version and returns it, so the order of writes is known.
 *
 * @throws if an update was lost, a read was stale, a website reappeared, or one version had two contents
 */
export function checkRegister(observed: readonly Observed[]): void {
  const fail = (what: string, ...about: readonly Observed[]): never => {
    const all = [...observed].sort((a, b) => a.start - b.start).map((one) => `\n  ${JSON.stringify(one)}`);
    throw new Error(`${what}: ${about.map((one) => JSON.stringify(one)).join(' and ')}, of all:${all.join('')}`);
  };
  const versionOf = (one: Observed) => one.website?.updated_at ?? '';
  const shown = observed.filter((one) => one.website !== undefined);
  const writes = shown.filter(({ kind }) => kind !== 'read').sort((a, b) => (versionOf(a) < versionOf(b) ? -1 : 1));
  const deleted = observed.filter(({ kind, status }) => kind === 'delete' && status === 204);

  for (const one of observed) {
    const { status, ifMatch } = one;
    const allowed = one.kind === 'delete' ? [204, 404, 412] : one.kind === 'create' ? [201] : [200, 404, 412];
    if (!allowed.includes(status) || (status === 412 && ifMatch === undefined)) fail('an unexpected response', one);
  }

  // One version, one content and one entity tag.
  const contents = new Map<string, Observed>();
  for (const one of shown) {
    for (const name of [versionOf(one), one.etag ?? versionOf(one)]) {
      const other = contents.get(name) ?? one;
      contents.set(name, other);
      if (!isDeepStrictEqual(other.website, one.website)) fail('one version with two contents', other, one);
    }
  }

  // Every write builds on the previous one, so nothing that was acknowledged is undone.
  for (const [index, write] of writes.entries()) {
    const before = writes[index - 1];
    if (before === undefined) {
      if (write.kind !== 'create') fail('an update before the create', write);
      continue;
    }
    const expected = { ...before.website, ...write.changes, updated_at: versionOf(write) };
    if (versionOf(before) === versionOf(write)) fail('two writes of one version', before, write);
    if (!isDeepStrictEqual(expected, write.website)) fail('a lost update', before, write);
    if (write.ifMatch !== undefined && write.ifMatch !== before.etag) fail('If-Match let through', before, write);
  }

  // A request sees everything that ended before it started.
  for (const later of shown) {
    if (later.kind !== 'read' && later.kind !== 'update') continue;
    for (const earlier of shown) {
      const isSame = versionOf(later) === versionOf(earlier);
      const isStale = versionOf(later) < versionOf(earlier) || (isSame && later.kind === 'update');
      if (earlier !== later && earlier.end < later.start && isStale) fail('a stale response', earlier, later);
    }
    // A read cannot show a later write.
    const origin = writes.find((write) => versionOf(write) === versionOf(later));
    if (origin === undefined || origin.start > later.end) fail('a version from nowhere', later);
  }

  const [deletion, again] = deleted;
  if (deletion !== undefined && again !== undefined) fail('deleted twice', deletion, again);
  for (const one of observed) {
    const isGone = one.status === 404 || (one.kind === 'read' && one.website === undefined);
    if (isGone && (deletion === undefined || deletion.start > one.end)) fail('gone, and nobody deleted it', one);
    if (deletion !== undefined && one !== deletion && !isGone && one.start > deletion.end)
      fail('back again', deletion, one);
    if (one.status !== 412) continue;
    const expected = contents.get(one.ifMatch ?? '') ?? one;
    const isLater = (write: Observed) => write.start < one.end && versionOf(write) > versionOf(expected);
    if (!writes.some((write) => write.etag !== one.ifMatch && isLater(write))) fail('412 for the current version', one);
  }
  const last = writes.at(-1)?.etag;
  if (deletion !== undefined && (deletion.ifMatch ?? last) !== last) fail('If-Match let a delete through', deletion);
}
