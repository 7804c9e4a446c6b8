import type { HoursOfWeek } from '@hitherto/domain/reading';
import type { Format } from '@hitherto/words';
import { useLocale } from '../shared/locale.tsx';

/** How many tints there are. */
const LEVELS = 5;
/** Of a row, in pixels. */
const HEIGHT = 20;
/** Where the hours begin, and the width of one, in percent. */
const LEFT = 9;
const WIDTH = (100 - LEFT) / 24;
const MARKED_HOURS = [0, 6, 12, 18];

/** The visitors of each hour of the week: a picture, and a table for those who cannot see it. */
export function WhenCard({ hours }: { readonly hours: HoursOfWeek }) {
  const { words, format } = useLocale();
  const { when } = words;
  const all = hours.flatMap((ofDay, weekday) => ofDay.map((visitors, hour) => ({ weekday, hour, visitors })));
  const busiest = all.reduce((most, each) => (each.visitors > most.visitors ? each : most));
  const levelOf = (visitors: number) => Math.ceil((visitors / busiest.visitors) * LEVELS);
  return (
    <section class="card lists" id="when" aria-labelledby="when-title">
      <div class="card-head">
        <h2 id="when-title">{when.when}</h2>
        <span class="hint">
          {when.busiest(format.weekday(busiest.weekday + 1, 'long'), clock(busiest.hour), clock(busiest.hour + 1))}
        </span>
      </div>
      <svg class="when" aria-hidden="true" height={HEIGHT * 8}>
        {hours.map((_, weekday) => (
          <text key={weekday} y={HEIGHT * weekday + 14}>
            {format.weekday(weekday + 1)}
          </text>
        ))}
        {MARKED_HOURS.map((hour) => (
          <text key={hour} x={xOf(hour)} y={HEIGHT * 8 - 5}>
            {clock(hour)}
          </text>
        ))}
        {Array.from({ length: LEVELS + 1 }, (_, level) => (
          <g key={level} class={`l${level}`}>
            {all
              .filter(({ visitors }) => levelOf(visitors) === level)
              .map(({ weekday, hour }) => (
                <rect key={`${weekday} ${hour}`} x={xOf(hour)} y={HEIGHT * weekday} />
              ))}
          </g>
        ))}
      </svg>
      <div class="unseen">
        <table>
          <caption>{when.table}</caption>
          <thead>
            <tr>
              <td />
              {hours[0]?.map((_, hour) => (
                <th key={hour} scope="col">
                  {clock(hour)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {hours.map((ofDay, weekday) => (
              <tr key={weekday}>
                <th scope="row">{format.weekday(weekday + 1, 'long')}</th>
                {ofDay.map((visitors, hour) => (
                  <td key={hour}>{meanOf(format, visitors)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="list-foot">
        <span>{when.table}</span>
      </p>
    </section>
  );
}

function xOf(hour: number): string {
  return `${(LEFT + hour * WIDTH).toFixed(1)}%`;
}

function clock(hour: number): string {
  return `${hour % 24}:00`.padStart(5, '0');
}

function meanOf({ count, decimal }: Format, visitors: number): string {
  return visitors >= 10 ? count(Math.round(visitors)) : decimal(visitors.toFixed(1));
}
