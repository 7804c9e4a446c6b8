import type { NamedWebsite } from '../websites/website-event.ts';
import { ALERT_RULES } from './alert.ts';
import type { FiredAlert, FiredValue } from './fired-alert.ts';

/** The content of an alert's mail, as it is stored with its task. */
export interface AlertMail {
  readonly accountId: string;
  /** ISO 8601. */
  readonly at: string;
  readonly website: NamedWebsite;
  readonly alert: FiredAlert;
}

/** The mail that the payload of a task holds; `undefined` if it holds none. */
export function readAlertMail(payload: unknown): AlertMail | undefined {
  return isAlertMail(payload) ? payload : undefined;
}

function isAlertMail(value: unknown): value is AlertMail {
  return (
    isObject(value) &&
    isString(value.accountId) &&
    isString(value.at) &&
    isNamedWebsite(value.website) &&
    isFiredAlert(value.alert)
  );
}

function isNamedWebsite(value: unknown): value is NamedWebsite {
  return isObject(value) && isString(value.id) && isString(value.url);
}

function isFiredAlert(value: unknown): value is FiredAlert {
  return (
    isObject(value) &&
    isString(value.id) &&
    ALERT_RULES.some((rule) => rule === value.rule) &&
    isString(value.text) &&
    isNumber(value.number) &&
    (value.usual === null || isNumber(value.usual)) &&
    (value.hours === null || isNumber(value.hours)) &&
    (value.subject === null || isString(value.subject)) &&
    areFiredValues(value.sources) &&
    areFiredValues(value.pages) &&
    (value.pageUrl === null || isString(value.pageUrl))
  );
}

function areFiredValues(values: unknown): values is FiredValue[] {
  return Array.isArray(values) && values.every(isFiredValue);
}

function isFiredValue(value: unknown): value is FiredValue {
  return isObject(value) && (value.value === null || isString(value.value)) && isNumber(value.visitors);
}

function isObject<Name extends string>(value: unknown): value is { readonly [name in Name]?: unknown } {
  return typeof value === 'object' && value !== null;
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}
