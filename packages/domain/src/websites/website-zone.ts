import { type Fault, inWords } from '../base/errors.ts';
import { timeZone } from '../calendar/time-zone.ts';

/** The names that Intl has only under an older one. */
const RENAMED: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

const INTL_NAMES = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];

/** The names to offer: one for each zone. Others, such as older names, are accepted too. */
export const TIME_ZONE_NAMES: readonly string[] = INTL_NAMES.map((name) => RENAMED[name] ?? name).sort();

const MAX_NAME_LENGTH = 100;
/** A typing error after fewer equal characters of the city suggests no name. */
const MIN_EQUAL = 3;

/** The time zone of a website: its name in normal form, as for `TIME_ZONE`, or its fault. An empty name means none. */
export function readZoneName(
  name: string | null,
): { readonly value: string | null } | { readonly fault: Omit<Fault, 'field'> } {
  const wanted = name?.trim() ?? '';
  if (wanted === '') return { value: null };
  try {
    if (wanted.length <= MAX_NAME_LENGTH) return { value: timeZone(wanted).name };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  const near = nearName(wanted.slice(0, MAX_NAME_LENGTH));
  const text = inWords(({ faults: { websites } }) => (near === undefined ? websites.zone : websites.zoneNear(near)));
  return { fault: { code: 'not_allowed', ...text } };
}

/** The zone of the same city, or else the one whose city begins like it for the longest. */
function nearName(wanted: string): string | undefined {
  const folded = wanted.toLowerCase().replaceAll(/[\s_]+/g, '_');
  const cityOf = (name: string) => name.toLowerCase().slice(name.lastIndexOf('/') + 1);
  const near = [...new Set([...TIME_ZONE_NAMES, ...INTL_NAMES])]
    .map((name) => ({
      name: RENAMED[name] ?? name,
      ofCity: equalLength(cityOf(name), cityOf(folded)),
      ofName: equalLength(name.toLowerCase(), folded),
    }))
    .filter(({ ofCity }) => ofCity >= MIN_EQUAL);
  return near.sort((a, b) => b.ofCity - a.ofCity || b.ofName - a.ofName)[0]?.name;
}

/** How many characters two names have in common at their beginnings. */
function equalLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
