import { describe, expect, it } from 'vitest';
import { type AlertInput, type AlertRule, changeAlert, parseAlert, parseAlertChanges } from '../src/alerts/alert.ts';
import {
  type AlertState,
  baselineOf,
  droppedPercent,
  type HitSample,
  isDrop,
  isSilence,
  isSpike,
  keptSamples,
  median,
  NEW_STATE,
  nextState,
} from '../src/alerts/rules.ts';
import { InvalidFields } from '../src/base/errors.ts';

const DAY = '2026-11-20';

describe('the rule', () => {
  it('spike holds from the threshold on', () => {
    expect([isSpike(49, 50, 0), isSpike(50, 50, 1_000)]).toEqual([false, true]);
  });

  it('spike without a threshold holds from 20 visitors and three times the highest of the past on', () => {
    expect([isSpike(19, null, 0), isSpike(20, null, 0), isSpike(59, null, 20), isSpike(60, null, 20)]).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  it('drop holds below 30 % of the median of the past, of at least 50', () => {
    expect([isDrop(29, [100, 100, 100, 1]), isDrop(30, [100, 100, 100, 1])]).toEqual([true, false]);
    expect([isDrop(0, [49, 49, 49, 1_000]), isDrop(0, [50]), isDrop(0, [])]).toEqual([false, true, false]);
  });

  it('silence holds without a hit, where there were some in the last 4 weeks', () => {
    expect([isSilence(0, 1), isSilence(1, 1), isSilence(0, 0)]).toEqual([true, false, false]);
  });

  it('dropped is about the share of at least 100 hits', () => {
    const dropped = [
      { reason: 'bot', hits: 20 },
      { reason: 'foreign_host', hits: 10 },
    ] as const;
    expect(droppedPercent({ counted: 70, dropped })).toBe(30);
    expect(droppedPercent({ counted: 69, dropped })).toBeUndefined();
  });

  it('compares with the median: the middle, or the mean of both in the middle', () => {
    expect([median([3, 1, 2]), median([4, 1, 3, 2]), median([])]).toEqual([2, 2.5, undefined]);
  });
});

describe('an alert', () => {
  const fires = (rule: AlertRule, checks: readonly (readonly [day: string, holds: boolean])[]) => {
    let state: AlertState = NEW_STATE;
    return checks.map(([day, holds]) => {
      const next = nextState(rule, state, day, holds);
      state = next.state;
      return next.fires;
    });
  };

  it('fires when its condition becomes true, and again only after it was false', () => {
    const checks = [true, true, false, true].map((holds) => [DAY, holds] as const);
    expect(fires('spike', checks)).toEqual([true, false, false, true]);
  });

  it('fires at most twice a day', () => {
    const checks = [true, false, true, false, true].map((holds) => [DAY, holds] as const);
    expect(fires('drop', checks)).toEqual([true, false, true, false, false]);
    expect(fires('drop', [...checks, [DAY, false], ['2026-11-21', true]])).toEqual([
      true,
      false,
      true,
      false,
      false,
      false,
      true,
    ]);
  });

  it('stays silent over midnight while its condition holds', () => {
    expect(
      fires('silence', [
        [DAY, true],
        ['2026-11-21', true],
      ]),
    ).toEqual([true, false]);
  });

  it('of a goal fires once a day', () => {
    expect(
      fires('goal', [
        [DAY, true],
        [DAY, false],
        [DAY, true],
        ['2026-11-21', true],
      ]),
    ).toEqual([true, false, false, true]);
  });
});

describe('the last hour of hits', () => {
  const now = new Date('2026-11-20T12:00:00.000Z');
  const sample = (minutesAgo: number): HitSample => {
    return { at: new Date(now.getTime() - minutesAgo * 60_000).toISOString(), day: DAY, counted: 0, dropped: {} };
  };

  it('begins with the newest sample that is an hour old', () => {
    expect(baselineOf([sample(64), sample(61), sample(59)], now)).toEqual(sample(61));
  });

  it('is shorter where the alert is younger', () => {
    expect(baselineOf([sample(20), sample(10)], now)).toEqual(sample(20));
  });

  it('is unknown where the last checks are too long ago', () => {
    expect(baselineOf([sample(66)], now)).toBeUndefined();
    expect(keptSamples([sample(66)], sample(0), now)).toEqual([sample(0)]);
  });

  it('keeps the samples from its begin on', () => {
    const samples = [sample(63), sample(61), sample(30)];
    expect(keptSamples(samples, sample(0), now)).toEqual([sample(61), sample(30), sample(0)]);
  });
});

describe('the settings of an alert', () => {
  const faultsOf = (parse: () => unknown) => {
    try {
      parse();
    } catch (error) {
      if (error instanceof InvalidFields) return error.faults.map(({ field, code }) => `${field} ${code}`);
      throw error;
    }
    return [];
  };

  it.each([
    [{ rule: 'spike' }, []],
    [{ rule: 'spike', threshold: 50 }, []],
    [{ rule: 'drop' }, []],
    [{ rule: 'drop', threshold: 1 }, ['threshold not_allowed']],
    [{ rule: 'silence' }, ['hours required']],
    [{ rule: 'silence', hours: 168 }, []],
    [{ rule: 'silence', hours: 169 }, ['hours not_allowed']],
    [{ rule: 'silence', hours: 1.5 }, ['hours not_allowed']],
    [{ rule: 'silence', hours: Number.NaN }, ['hours not_allowed']],
    [{ rule: 'goal', threshold: 5 }, ['goal_id required']],
    [{ rule: 'goal', goal_id: 'a', percent: 5 }, ['threshold required', 'percent not_allowed']],
    [{ rule: 'dropped', percent: 0 }, ['percent not_allowed']],
    [{ rule: 'dropped', percent: 99 }, []],
    [{ threshold: 0, email: false, webhooks: false }, ['rule required', 'threshold not_allowed', 'email required']],
    [{ rule: 'drop', email: false, webhooks: false }, ['email required']],
  ] as const)('%j has the faults %j', (input, faults) => {
    expect(faultsOf(() => parseAlert(input))).toEqual(faults);
  });

  it.each([
    [{ hours: 0, percent: 100 }, ['hours not_allowed', 'percent not_allowed']],
    [{ email: false, webhooks: false }, ['email required']],
    [{ rule: 'drop', hours: null, threshold: 5 }, []],
  ] as const)('as changes, %j has the faults %j, whatever the alert', (input, faults) => {
    expect(faultsOf(() => parseAlertChanges(input))).toEqual(faults);
  });

  it('change, but for the rule', () => {
    const now = new Date('2026-11-20T12:00:00.000Z');
    const alert = { id: 'a', ...parseAlert({ rule: 'silence', hours: 24 }), createdAt: now, updatedAt: now };

    const change = (input: AlertInput) => changeAlert(alert, parseAlertChanges(input), now);

    expect(change({ rule: 'silence', hours: 24 })).toBe(alert);
    expect(change({ hours: 48, email: false })).toEqual({
      ...alert,
      hours: 48,
      email: false,
      updatedAt: new Date(now.getTime() + 1),
    });
    expect(faultsOf(() => change({ hours: null }))).toEqual(['hours required']);
    expect(faultsOf(() => change({ rule: 'drop', percent: 5 }))).toEqual(['rule not_allowed', 'percent not_allowed']);
  });
});
