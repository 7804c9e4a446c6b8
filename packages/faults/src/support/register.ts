import type { WebsiteJson } from '@hitherto/testing/website-json';

/** One request to one website: when it was under way, by the clock of all clients, and what came of it. */
export interface Observed {
  readonly kind: 'store' | 'update' | 'destroy' | 'read';
  readonly start: number;
  readonly end: number;
  /** As the answer showed it; `undefined` where it was told to be gone, or not told of. */
  readonly website?: WebsiteJson | undefined;
  readonly etag?: string | undefined;
  readonly status: number;
  /** What an update asked for. */
  readonly changes?: Partial<WebsiteJson>;
  /** The version that it was made for, from an entity tag. */
  readonly ifMatch?: string | undefined;
}

/**
 * Checks that what was observed of one website can have come from one that stands in one place and is changed by one request
 * after the other, each between its beginning and its end. Every write makes a version of its own, and tells it, so that the
 * order of the writes is known.
 *
 * @throws where an update was lost, a read was stale, a website came back, or one version had two contents.
 */
export function checkRegister(observed: readonly Observed[]): void {
  const fail = (what: string, ...about: readonly Observed[]): never => {
    const all = [...observed].sort((a, b) => a.start - b.start).map((one) => `\n  ${JSON.stringify(one)}`);
    throw new Error(`${what}: ${about.map((one) => JSON.stringify(one)).join(' and ')}, of all:${all.join('')}`);
  };
  const versionOf = (one: Observed) => one.website?.updated_at ?? '';
  const shown = observed.filter((one) => one.website !== undefined);
  const writes = shown.filter(({ kind }) => kind !== 'read').sort((a, b) => (versionOf(a) < versionOf(b) ? -1 : 1));
  const destroyed = observed.filter(({ kind, status }) => kind === 'destroy' && status === 204);

  for (const one of observed) {
    const { status, ifMatch } = one;
    const allowed = one.kind === 'destroy' ? [204, 404, 412] : one.kind === 'store' ? [201] : [200, 404, 412];
    if (!allowed.includes(status) || (status === 412 && ifMatch === undefined)) fail('an answer out of place', one);
  }

  // One version, one content and one entity tag.
  const contents = new Map<string, Observed>();
  for (const one of shown) {
    for (const name of [versionOf(one), ...(one.etag === undefined ? [] : [one.etag])]) {
      const other = contents.get(name) ?? one;
      contents.set(name, other);
      if (JSON.stringify(other.website) !== JSON.stringify(one.website))
        fail('one version with two contents', other, one);
    }
  }

  // Every write stands on the one before: nothing that was acknowledged is undone by another.
  for (const [index, write] of writes.entries()) {
    const before = writes[index - 1];
    if (before === undefined) {
      if (write.kind !== 'store') fail('an update before the store', write);
      continue;
    }
    const expected = { ...before.website, ...write.changes, updated_at: versionOf(write) };
    if (versionOf(before) === versionOf(write)) fail('two writes of one version', before, write);
    if (JSON.stringify(expected) !== JSON.stringify(write.website)) fail('a lost update', before, write);
    if (write.ifMatch !== undefined && write.ifMatch !== before.etag) fail('If-Match let through', before, write);
  }

  // What has ended before something begins is seen by it.
  for (const later of shown) {
    if (later.kind !== 'read' && later.kind !== 'update') continue;
    for (const earlier of shown) {
      const isStale =
        later.kind === 'update' ? versionOf(later) <= versionOf(earlier) : versionOf(later) < versionOf(earlier);
      if (earlier !== later && earlier.end < later.start && isStale) fail('a stale answer', earlier, later);
    }
    // A read cannot show what is written only after it.
    const origin = writes.find((write) => versionOf(write) === versionOf(later));
    if (origin === undefined || origin.start > later.end) fail('a version from nowhere', later);
  }

  const [destroy, again] = destroyed;
  if (destroy !== undefined && again !== undefined) fail('destroyed twice', destroy, again);
  for (const one of observed) {
    const isGone = one.status === 404 || (one.kind === 'read' && one.website === undefined);
    if (isGone && (destroy === undefined || destroy.start > one.end)) fail('gone, and nobody destroyed it', one);
    if (destroy !== undefined && one !== destroy && !isGone && one.start > destroy.end)
      fail('back again', destroy, one);
    if (one.status === 412) {
      const isMoved = writes.some(
        (write) =>
          write.etag !== one.ifMatch &&
          write.start < one.end &&
          versionOf(write) > versionOf(contents.get(one.ifMatch ?? '') ?? one),
      );
      if (!isMoved) fail('412 for the current version', one);
    }
  }
  if (destroy?.ifMatch !== undefined && destroy.ifMatch !== writes.at(-1)?.etag)
    fail('If-Match let a destroy through', destroy);
}
