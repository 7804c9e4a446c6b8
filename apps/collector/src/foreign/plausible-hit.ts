import {
  type AddressedHit,
  fitName,
  fitProps,
  type HitInput,
  type HitSender,
  hostAndPath,
  MEASURE_LIMITS,
  type Measure,
  type PropertyValue,
} from '@hitherto/domain/hits';
import type { WireFault } from '@hitherto/http';
import { checked, isObject, WRONG_PROPS, wrongType } from '../hits/read-hit-request.ts';

/** The fields' short and full names in Plausible's trackers. */
const NAMES = {
  website: ['d', 'domain'],
  name: ['n', 'name'],
  url: ['u', 'url'],
  referrer: ['r', 'referrer'],
  props: ['p', 'm', 'props'],
} as const;

type Field = keyof typeof NAMES;

/**
 * Reads an event as trackers of Plausible send it (switch/plausible.md). Other fields are ignored, and so are the
 * properties of a pageview; names and properties are cut to the limits. Revenue becomes properties, and the events of links
 * have the names of our own tracker's. An event `engagement` is a hit with a `measure`.
 *
 * @throws InvalidRequest with all faults, by the names as sent
 */
export function readPlausibleBody(body: object, from: HitSender): AddressedHit {
  const sent: Readonly<Record<string, unknown>> = { ...body };
  const faults: WireFault[] = [];
  const sentName = (field: Field): string =>
    NAMES[field].find((name) => sent[name] !== undefined && sent[name] !== null) ?? NAMES[field][0];
  const stringIn = (field: Field): string | undefined => {
    const value = sent[sentName(field)] ?? undefined;
    if (value === undefined || typeof value === 'string') return value;
    faults.push(wrongType(field, 'a string'));
    return undefined;
  };

  const name = stringIn('name');
  if (name === undefined && faults.length === 0) {
    faults.push({ field: 'name', code: 'required', detail: 'The name of the event is required.' });
  }
  const measure = name === 'engagement' ? measureIn(sent) : undefined;
  const isEvent = name !== undefined && name !== 'pageview' && measure === undefined;
  const url = stringIn('url');
  const referrer = stringIn('referrer');
  const website = stringIn('website');
  const props = isEvent ? readProps(sent[sentName('props')]) : undefined;
  if (props === 'wrong') faults.push(wrongType('props', WRONG_PROPS));

  const input: HitInput = {
    // Only our own script in the place of Plausible's says these two.
    ...(sent.automated === true ? { automated: true } : {}),
    ...(sent.same_document === true ? { sameDocument: true } : {}),
    ...(url === undefined ? {} : { url }),
    ...(referrer === undefined ? {} : { referrer }),
    ...(isEvent ? { name: ownNameOf(fitName(name)) } : {}),
    ...(props === 'wrong' || !isEvent ? {} : withProps(name, props, sent.$ ?? sent.revenue)),
  };
  // `props.plan` was sent as `p.plan` where the properties are called `p`.
  const read = checked(website, input, faults, from, (field) => {
    const [name = '', ...rest] = field.split('.');
    return isField(name) ? [sentName(name), ...rest].join('.') : field;
  });
  return measure === undefined ? read : { ...read, hit: { ...read.hit, measure } };
}

/** Since the last message about the page: `e` are milliseconds, `sd` is the scroll depth so far. Other values are none. */
function measureIn({ e, sd }: Readonly<Record<string, unknown>>): Measure {
  const within = (value: unknown, most: number) =>
    typeof value === 'number' && value > 0 ? Math.min(Math.round(value), most) : 0;
  return {
    seconds: within(typeof e === 'number' ? e / 1_000 : 0, MEASURE_LIMITS.seconds),
    scroll: within(sd, MEASURE_LIMITS.scroll),
  };
}

/** The names of the events that our own tracker sends, too, by Plausible's. */
const OWN_NAMES: ReadonlyMap<string, string> = new Map([
  ['Outbound Link: Click', 'Outbound link'],
  ['File Download', 'Download'],
]);

function ownNameOf(name: string): string {
  return OWN_NAMES.get(name) ?? name;
}

/** The properties of an event, with its revenue as `revenue` and `currency`, and the target of a link as host and path. */
function withProps(name: string, props: HitInput['props'], revenue: unknown): Pick<HitInput, 'props'> {
  const { amount, currency } = revenueOf(revenue);
  const all: Record<string, PropertyValue> = {
    ...(amount === undefined ? {} : { revenue: amount, ...(currency && { currency }) }),
    ...props,
  };
  if (OWN_NAMES.has(name) && typeof all.url === 'string') all.url = hostAndPath(all.url);
  return Object.keys(all).length === 0 && props === undefined ? {} : { props: fitProps(all) };
}

/** Revenue is an object, or JSON in a string; other values, and those without a number, are ignored, as by Plausible. */
function revenueOf(sent: unknown): { readonly amount?: number; readonly currency?: string } {
  if (typeof sent === 'string') {
    try {
      return revenueOf(JSON.parse(sent));
    } catch {
      return {};
    }
  }
  if (!isObject(sent)) return {};
  const { amount, currency }: { amount?: unknown; currency?: unknown } = sent;
  if (typeof amount !== 'number' && typeof amount !== 'string') return {};
  const number = Number(amount);
  if (amount === '' || !Number.isFinite(number)) return {};
  return { amount: number, ...(typeof currency === 'string' ? { currency } : {}) };
}

function isField(name: string): name is Field {
  return Object.hasOwn(NAMES, name);
}

/** Properties as an object, or as JSON in a string; `'wrong'` if they are neither. */
function readProps(value: unknown): HitInput['props'] | 'wrong' {
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') return propsIn(value);
  try {
    return propsIn(JSON.parse(value));
  } catch {
    return 'wrong';
  }
}

/** PHP writes an empty object as an empty list. */
function propsIn(value: unknown): HitInput['props'] | 'wrong' {
  if (value === null || (Array.isArray(value) && value.length === 0)) return undefined;
  return isObject(value) ? fitProps(value) : 'wrong';
}
