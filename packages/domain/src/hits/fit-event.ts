import { readUrl } from '../base/url.ts';
import { HIT_LIMITS, type PropertyValue, UNUSABLE_CHARACTER } from './hit.ts';

/** Attributes of elements may have line breaks, and trackers cut strings within a character. */
const UNUSABLE_IN_NAME = /[\p{Cc}\p{Cs}]+/gu;

/** The name of another tracker's event, without unusable characters, cut to the length that is stored. */
export function fitName(name: string): string {
  const usable = name.replace(UNUSABLE_IN_NAME, ' ');
  return cut(usable === name ? name : usable.trim(), HIT_LIMITS.name);
}

/**
 * The properties of another tracker's event that fit, so that the event counts all the same (tracker.md):
 * the first ones with a usable name and a plain value, with long strings cut.
 */
export function fitProps(props: object): Record<string, PropertyValue> {
  const fitting = Object.entries(props)
    .filter(([name]) => [...name].length <= HIT_LIMITS.propName && !UNUSABLE_CHARACTER.test(name))
    .flatMap(([name, value]) => {
      const fitted = fitValue(value);
      return fitted === undefined ? [] : [[name, fitted] as const];
    });
  return Object.fromEntries(fitting.slice(0, HIT_LIMITS.props));
}

/**
 * Host and path of the target of a link, as in the events of Hitherto's own tracker. An address without a host loses its query
 * alone.
 */
export function hostAndPath(address: string): string {
  const url = readUrl(address);
  if (url !== undefined && url.hostname !== '') return url.hostname + url.pathname;
  return address.replace(/^[a-z]+:\/\//i, '').replace(/[?#].*$/s, '');
}

function fitValue(value: unknown): PropertyValue | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || UNUSABLE_CHARACTER.test(value)) return undefined;
  return cut(value, HIT_LIMITS.propText);
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : [...text].slice(0, length).join('');
}
