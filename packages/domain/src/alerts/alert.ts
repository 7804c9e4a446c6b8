import { isDeepStrictEqual } from 'node:util';
import { DomainError, type Fault, InvalidFields, inWords } from '../base/errors.ts';
import { nextVersion } from '../base/versions.ts';

/** The rules of alerts (alerts.md). */
export const ALERT_RULES = ['spike', 'drop', 'silence', 'goal', 'dropped'] as const;
export type AlertRule = (typeof ALERT_RULES)[number];

/** The most alerts of a website. */
export const MAX_ALERTS = 20;
const MAX_THRESHOLD = 1_000_000_000;
const MAX_HOURS = 168;
const MAX_PERCENT = 99;

/** The numbers that rules may have, with `null` for numbers that a rule does not use. */
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

/** Unchecked input, with the names of the API. An absent field sets nothing, and `null` clears it. */
export interface AlertInput {
  readonly rule?: AlertRule | undefined;
  readonly threshold?: number | null | undefined;
  readonly hours?: number | null | undefined;
  readonly percent?: number | null | undefined;
  readonly goal_id?: string | null | undefined;
  readonly email?: boolean | undefined;
  readonly webhooks?: boolean | undefined;
}

/** An alert as its owner defines it. */
export type AlertSettings = Omit<Alert, 'id' | 'createdAt' | 'updatedAt'>;

/** Changes to an alert that passed all rules which need no stored state. */
export type AlertChanges = { readonly [Name in keyof AlertSettings]?: AlertSettings[Name] | undefined };

type NumberName = keyof AlertNumbers;

/** The numbers that each rule uses, and the numbers that it requires. */
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
  const {
    rule,
    threshold = null,
    hours = null,
    percent = null,
    goal_id: goalId,
    email = true,
    webhooks = true,
  } = input;
  const faults = fieldFaults(input);
  if (rule === undefined) {
    const detail = `Must be one of ${ALERT_RULES.join(', ')}.`;
    throw new InvalidFields([{ field: 'rule', code: 'required', detail }, ...faults]);
  }
  const settings = { rule, threshold, hours, percent, goalId: goalId?.toLowerCase() ?? null, email, webhooks };
  const isNew = ({ field }: Fault) => faults.every((known) => known.field !== field);
  rejectFaults([...faults, ...ruleFaults(settings).filter(isNew)]);
  return settings;
}

/** Checks changes to an alert; whether they fit its rule is checked later. Throws `InvalidFields` with every fault. */
export function parseAlertChanges(input: AlertInput): AlertChanges {
  rejectFaults(fieldFaults(input));
  const { goal_id: goalId, ...changes } = input;
  return { ...changes, goalId: goalId === null ? null : goalId?.toLowerCase() };
}

/**
 * The alert with the changes; itself if they change nothing.
 *
 * @throws InvalidFields with every fault; the rule cannot change
 */
export function changeAlert(alert: Alert, { rule = alert.rule, ...changes }: AlertChanges, now: Date): Alert {
  const { id, createdAt, updatedAt, ...before } = alert;
  const sent = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const settings = { ...before, ...sent };
  const faults = [...ruleFaults(settings), ...targetFaults(settings)];
  if (rule !== alert.rule) {
    const detail = 'The rule cannot be changed. Create another alert.';
    faults.unshift({ field: 'rule', code: 'not_allowed', detail });
  }
  rejectFaults(faults);
  if (isDeepStrictEqual(settings, before)) return alert;
  return { id, ...settings, createdAt, updatedAt: nextVersion({ updatedAt }, now) };
}

/** Whether two versions of an alert fire under the same condition. */
export function haveSameCondition(one: Alert, other: Alert): boolean {
  return NUMBER_NAMES.every((name) => one[name] === other[name]);
}

/** The website has as many alerts as it may have. */
export function tooManyAlerts(): DomainError {
  return new DomainError('too_many_alerts', `A website has at most ${MAX_ALERTS} alerts. Delete one first.`, {
    saying: ({ faults }) => faults.full(MAX_ALERTS),
  });
}

function rejectFaults(faults: readonly Fault[]): void {
  if (faults.length > 0) throw new InvalidFields(faults);
}

/** The faults that fields have whatever the rule and the stored fields. */
function fieldFaults(input: AlertInput): Fault[] {
  const faults = (['threshold', 'hours', 'percent'] as const).flatMap((field): Fault[] => {
    const [number = null, max] = [input[field], MAXIMA[field]];
    if (number === null || (Number.isInteger(number) && number >= 1 && number <= max)) return [];
    return [{ field, code: 'not_allowed', ...inWords((words) => words.faults.wholeNumber(1, max)) }];
  });
  return [...faults, ...targetFaults(input)];
}

function targetFaults({ email, webhooks }: Pick<AlertInput, 'email' | 'webhooks'>): Fault[] {
  if (email !== false || webhooks !== false) return [];
  return [{ field: 'email', code: 'required', ...inWords(({ faults }) => faults.alerts.nowhere) }];
}

/** The faults of numbers that the rule needs or does not use. */
function ruleFaults(settings: AlertSettings): Fault[] {
  const { uses, needs } = RULE_NUMBERS[settings.rule];
  return NUMBER_NAMES.flatMap((name): Fault[] => {
    const field = name === 'goalId' ? 'goal_id' : name;
    if (settings[name] === null && needs.includes(name)) {
      const text = inWords(
        ({ resources: { alert } }) => (name === 'goalId' ? alert.goalRequired : alert.numberRequired),
        `The rule ${settings.rule} needs this field.`,
      );
      return [{ field, code: 'required', ...text }];
    }
    if (settings[name] !== null && !uses.includes(name)) {
      return [{ field, code: 'not_allowed', detail: `The rule ${settings.rule} does not use this field.` }];
    }
    return [];
  });
}
