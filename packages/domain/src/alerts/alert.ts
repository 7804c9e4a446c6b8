import { isDeepStrictEqual } from 'node:util';
import { DomainError, type Fault, InvalidFields } from '../errors.ts';
import { nextVersion } from '../versions.ts';

/** The rules of alerts (sharing.md, "Alerts"). */
export const ALERT_RULES = ['spike', 'drop', 'silence', 'goal', 'dropped'] as const;
export type AlertRule = (typeof ALERT_RULES)[number];

/** The most alerts of a website. */
export const MAX_ALERTS = 20;
const MAX_THRESHOLD = 1_000_000_000;
const MAX_HOURS = 168;
const MAX_PERCENT = 99;

/** The numbers that rules may have; a rule has those that it uses, and `null` for others. */
interface AlertNumbers {
  /** Current visitors of `spike`, where they are not compared with the past; conversions of `goal`. */
  readonly threshold: number | null;
  /** Of `silence`. */
  readonly hours: number | null;
  /** Of `dropped`. */
  readonly percent: number | null;
  /** Of `goal`. */
  readonly goalId: string | null;
}

/** A condition that a website's owner wants to know of. */
export interface Alert extends AlertNumbers {
  /** UUIDv7. */
  readonly id: string;
  readonly rule: AlertRule;
  /** Whether it goes to the account's address. */
  readonly email: boolean;
  /** Whether it goes to the webhooks that ask for alerts. */
  readonly webhooks: boolean;
  readonly createdAt: Date;
  /** Strictly later with every change, to the millisecond. */
  readonly updatedAt: Date;
}

/** Unchecked input; an absent field sets nothing, and `null` clears it. */
export type AlertInput = { readonly rule?: AlertRule | undefined } & {
  readonly [Name in keyof AlertNumbers]?: AlertNumbers[Name] | undefined;
} & { readonly email?: boolean | undefined; readonly webhooks?: boolean | undefined };

/** An alert as its owner defines it. */
export type AlertSettings = Omit<Alert, 'id' | 'createdAt' | 'updatedAt'>;

type NumberName = keyof AlertNumbers;

/** The numbers that each rule uses, and those that it needs. */
const RULE_NUMBERS: Readonly<Record<AlertRule, { uses: readonly NumberName[]; needs: readonly NumberName[] }>> = {
  spike: { uses: ['threshold'], needs: [] },
  drop: { uses: [], needs: [] },
  silence: { uses: ['hours'], needs: ['hours'] },
  goal: { uses: ['threshold', 'goalId'], needs: ['threshold', 'goalId'] },
  dropped: { uses: ['percent'], needs: ['percent'] },
};

const MAXIMA = { threshold: MAX_THRESHOLD, hours: MAX_HOURS, percent: MAX_PERCENT } as const;
const NUMBER_NAMES: readonly NumberName[] = ['threshold', 'hours', 'percent', 'goalId'];

/** Checks the input for a new alert. Throws `InvalidFields` with every fault; whether the goal exists is checked later. */
export function parseAlert(input: AlertInput): AlertSettings {
  const { rule, threshold = null, hours = null, percent = null, goalId = null, email = true, webhooks = true } = input;
  if (rule === undefined) {
    throw new InvalidFields([
      { field: 'rule', code: 'required', detail: `Must be one of ${ALERT_RULES.join(', ')}.` },
      ...rangeFaults({ threshold, hours, percent, goalId }),
    ]);
  }
  const settings = { rule, threshold, hours, percent, goalId: goalId?.toLowerCase() ?? null, email, webhooks };
  const faults = faultsOf(settings);
  if (faults.length > 0) throw new InvalidFields(faults);
  return settings;
}

/**
 * The alert with the changes; itself if they change nothing.
 *
 * @throws InvalidFields with every fault; the rule cannot change
 */
export function changeAlert(alert: Alert, input: AlertInput, now: Date): Alert {
  const { id, createdAt, updatedAt, ...before } = alert;
  if (input.rule !== undefined && input.rule !== alert.rule) {
    const detail = 'The rule cannot be changed. Create another alert.';
    throw new InvalidFields([{ field: 'rule', code: 'not_allowed', detail }]);
  }
  const sent = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const settings = parseAlert({ ...before, ...sent });
  if (isDeepStrictEqual(settings, before)) return alert;
  return { id, ...settings, createdAt, updatedAt: nextVersion({ updatedAt }, now) };
}

/** Whether two versions of an alert fire under the same condition. */
export function haveSameCondition(one: Alert, other: Alert): boolean {
  return NUMBER_NAMES.every((name) => one[name] === other[name]);
}

/** The website has as many alerts as it may have. */
export function tooManyAlerts(): DomainError {
  return new DomainError('too_many_alerts', `A website has at most ${MAX_ALERTS} alerts. Delete one first.`);
}

function faultsOf(settings: AlertSettings): Fault[] {
  const { uses, needs } = RULE_NUMBERS[settings.rule];
  const faults = rangeFaults(settings);
  const isFaulty = (name: string) => faults.some(({ field }) => field === name);
  for (const field of NUMBER_NAMES) {
    if (isFaulty(field)) continue;
    if (settings[field] === null && needs.includes(field)) {
      faults.push({ field, code: 'required', detail: `The rule ${settings.rule} needs this field.` });
    }
    if (settings[field] !== null && !uses.includes(field)) {
      faults.push({ field, code: 'not_allowed', detail: `The rule ${settings.rule} does not use this field.` });
    }
  }
  if (!settings.email && !settings.webhooks) {
    const detail = 'The alert must go to the address of the account, to webhooks, or both.';
    faults.push({ field: 'email', code: 'required', detail });
  }
  return faults;
}

function rangeFaults(numbers: AlertNumbers): Fault[] {
  return (['threshold', 'hours', 'percent'] as const).flatMap((field): Fault[] => {
    const [number, max] = [numbers[field], MAXIMA[field]];
    if (number === null || (Number.isInteger(number) && number >= 1 && number <= max)) return [];
    return [{ field, code: 'not_allowed', detail: `Must be a whole number from 1 to ${max.toLocaleString('en')}.` }];
  });
}
