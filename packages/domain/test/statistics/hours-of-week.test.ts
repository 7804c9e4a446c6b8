import { addDays, dayOf, formatWithOffset, hoursOf, timeZone } from '@hitherto/domain/calendar';
import { visitorsByHour } from '@hitherto/domain/engine';
import { describe, expect, it } from 'vitest';
import { hoursOfWeek } from '../../src/reading/hours-of-week.ts';
import { sumTotals } from '../../src/visits/totals.ts';

describe.each(['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/St_Johns'])('in %s', (name) => {
  const zone = timeZone(name);

  it('has the mean of each hour of the week, as the clock shows it', () => {
    const [from, to] = ['2026-03-02', '2026-04-12'];
    const points = hoursOf(zone, from, to).map((start) => ({
      ...sumTotals([]),
      start,
      visitors: start.getTime() % 97,
    }));

    const means = hoursOfWeek(zone, { from, to }, visitorsByHour(points), [{ from: '2026-04-06', to: '2026-04-12' }]);

    for (let weekday = 0; weekday < 7; weekday += 1) {
      for (let hour = 0; hour < 24; hour += 1) {
        const weeks = [0, 1, 2, 3, 4, 5].map((week) => addDays(from, 7 * week + weekday));
        const clock = (day: string) => `${day}T${String(hour).padStart(2, '0')}`;
        const ofHour = points.filter(({ start }) =>
          weeks.some((day) => dayOf(zone, start) === day && formatWithOffset(zone, start).startsWith(clock(day))),
        );
        const sum = ofHour.reduce((all, { visitors }) => all + visitors, 0);
        expect(means?.[weekday]?.[hour]).toBe(sum / 5);
      }
    }
  });
});
