import { compareBytes } from '@hitherto/domain/base';
import type { Cleanup } from '@hitherto/domain/cleanups';
import {
  type AddressedHit,
  type CollectedHits,
  type Explanation,
  FIRST_HIT_DIMENSIONS,
  firstHitValue,
  type Hit,
  type HitDetails,
  mapDimensions,
  type RemovedParameter,
  readServerHit,
} from '@hitherto/domain/hits';
import { InvalidRequest, type WireFault } from '@hitherto/http';
import type { Static } from '@sinclair/typebox';
import type { CollectHitsBody, ExplainedHit, ExplainHitResponse, HitBody } from './schemas.ts';

/** The batch in a body. Throws `InvalidRequest` with the faults of its shape and of all hits. */
export function fromCollectBody(
  body: Partial<Static<typeof CollectHitsBody>>,
  shapeFaults: readonly WireFault[],
  now: Date,
): AddressedHit[] {
  // Where the list itself is faulty there are no hits to look at.
  if (shapeFaults.some(({ field }) => !field.startsWith('hits.'))) throw new InvalidRequest(shapeFaults);
  // A request without a body has no media type, and so no schema was applied to it.
  if (body.hits === undefined) {
    throw new InvalidRequest([{ field: 'hits', code: 'required', detail: 'This field is required.' }]);
  }
  const faulty = fieldsOf(shapeFaults);
  const misshapen = new Set(shapeFaults.map(({ field }) => field));
  const faults = [...shapeFaults];
  const hits: AddressedHit[] = [];
  for (const [index, sent] of body.hits.entries()) {
    const prefix = `hits.${index}`;
    // It may be no object at all.
    if (misshapen.has(prefix)) continue;
    const { website, ...fields } = sent;
    const hit = readFields(fields, `${prefix}.`, faulty, faults, now);
    if (hit !== undefined) hits.push({ website, hit });
  }
  if (faults.length > 0) throw new InvalidRequest(faults);
  return hits;
}

/** A batch in normal form: without absent fields, sorted by name. */
export function toNormalForm(hits: Static<typeof CollectHitsBody>['hits']): string {
  return JSON.stringify(
    hits.map((hit) => sorted({ ...hit, website: hit.website.toLowerCase(), props: sorted(hit.props) })),
  );
}

function sorted(fields: object | null | undefined) {
  return Object.entries(fields ?? {})
    .filter(([, value]) => value !== null && value !== undefined)
    .sort(([a], [b]) => compareBytes(a, b));
}

/** The hit in a body. Throws `InvalidRequest` with the faults of its shape and of its fields. */
export function fromExplainBody(body: HitBody, shapeFaults: readonly WireFault[], now: Date): Hit {
  const faults = [...shapeFaults];
  const hit = readFields(body, '', fieldsOf(shapeFaults), faults, now);
  if (hit === undefined || faults.length > 0) throw new InvalidRequest(faults);
  return hit;
}

export function toCollectedResource({ counted, dropped }: CollectedHits) {
  return { counted, dropped: dropped.map(({ index, reason }) => ({ index, reason })) };
}

export function toExplanationResource(
  { drop, detail, details, removedParameters }: Explanation,
  hiding: Cleanup | undefined,
): Static<typeof ExplainHitResponse>['data'] {
  return {
    counted: drop === undefined,
    reason: drop?.reason ?? null,
    detail,
    rule: drop?.rule ? { field: 'exclude_ips', line: drop.rule.line, entry: drop.rule.entry } : null,
    hit: details === undefined ? null : toHitResource(details, removedParameters),
    hidden_by: hiding === undefined ? null : { id: hiding.id, name: hiding.name },
  };
}

function toHitResource(
  details: HitDetails,
  removedParameters: readonly RemovedParameter[],
): Static<typeof ExplainedHit> {
  return {
    kind: details.name === null ? 'pageview' : 'event',
    page: details.page,
    removed_params: removedParameters.map(({ name, by }) => ({ name, by })),
    ...mapDimensions(FIRST_HIT_DIMENSIONS, (dimension) => firstHitValue(details, dimension)),
    name: details.name,
    props: details.props,
  };
}

/**
 * Reads the fields of a hit and adds their faults to `faults`. A field with a fault in its shape gets no second
 * fault.
 *
 * @param faulty the fields with a fault in their shape, and the fields that contain them
 */
function readFields(
  body: HitBody,
  prefix: string,
  faulty: ReadonlySet<string>,
  faults: WireFault[],
  now: Date,
): Hit | undefined {
  const isUsable = (name: string) => !faulty.has(`${prefix}${name}`);
  const sent = <Name extends keyof HitBody, As extends string>(name: Name, as: As) => {
    const value = isUsable(name) ? (body[name] ?? undefined) : undefined;
    return (value === undefined ? {} : { [as]: value }) as { [Key in As]?: NonNullable<HitBody[Name]> };
  };
  const read = readServerHit(
    {
      ...sent('url', 'url'),
      ...sent('referrer', 'referrer'),
      ...sent('name', 'name'),
      ...sent('props', 'props'),
      ...sent('automated', 'automated'),
      ...sent('same_document', 'sameDocument'),
      ...sent('ip', 'ip'),
      ...sent('user_agent', 'userAgent'),
      ...sent('language', 'language'),
      ...sent('visitor', 'visitor'),
      ...sent('time', 'time'),
    },
    now,
  );
  if (!('faults' in read)) return read.hit;
  for (const fault of read.faults) {
    const name = fault.field === 'userAgent' ? 'user_agent' : fault.field;
    const [field = name] = name.split('.', 1);
    // A faulty visitor is still an attempt to identify one.
    if (field === 'ip' && fault.code === 'required' && !isUsable('visitor')) continue;
    if (isUsable(field)) faults.push({ ...fault, field: `${prefix}${name}` });
  }
  return undefined;
}

/** The fields with faults, and the fields that contain them: `hits.3.props.a`, `hits.3.props`, `hits.3`, `hits`. */
function fieldsOf(faults: readonly WireFault[]): Set<string> {
  const fields = new Set<string>();
  for (const { field } of faults) {
    for (let end = field.length; end > 0; end = field.lastIndexOf('.', end - 1)) fields.add(field.slice(0, end));
  }
  return fields;
}
