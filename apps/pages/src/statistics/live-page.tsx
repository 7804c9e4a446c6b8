import type { Header } from '../shared/header.ts';
import { useLocale } from '../shared/locale.tsx';
import { Frame } from '../shared/page.tsx';
import { livePath, statisticsPath } from '../shared/paths.ts';
import { type SwitcherWebsite, WebsiteSwitcher } from '../shared/website-switcher.tsx';
import { Bar, RowLabel } from './list-card.tsx';
import type { LiveList, LiveView, MinuteView } from './live-view.ts';
import { PageHead } from './page-parts.tsx';
import { hrefOf, lookOf, ofAnyWebsite } from './selection.ts';

interface LivePageProps {
  readonly view: LiveView;
  readonly who: Header | undefined;
  readonly others: readonly SwitcherWebsite[];
}

/** The visitors of the last half hour (pages.md). A script shows them anew; without it, a link does. */
export function LivePage({ view, who, others }: LivePageProps) {
  const { website, path, selection, visitors, current, minutes, lists } = view;
  const { words, format } = useLocale();
  const { live } = words;
  const strong = (number: number) => <strong>{format.count(number)}</strong>;
  return (
    <Frame title={`${live.title} · ${website.address}`} isLive hasMenus {...lookOf(selection)}>
      <PageHead who={who} isEmbedded={selection.isEmbedded} />
      <main>
        <header class="statistics-header">
          <div class="website">
            <nav class="owner-links" aria-label={words.lists.back}>
              <WebsiteSwitcher
                others={others}
                hrefOf={(id) => hrefOf(livePath(statisticsPath(id)), ofAnyWebsite(selection))}
              >
                <a href={hrefOf(path, selection)}>{website.address}</a>
              </WebsiteSwitcher>
            </nav>
            <h1>{live.title}</h1>
          </div>
        </header>
        <p class="headline" data-part="headline">
          {live.headline(visitors, strong)}
          {visitors > 0 && <> {live.current(current, strong)}</>}
        </p>
        <section class="card numbers" aria-label={live.byMinute}>
          <Minutes minutes={minutes} />
          <p class="hint">
            <span data-part="time">{live.asOf(view.at)}</span>{' '}
            <noscript>
              <a href={hrefOf(livePath(path), selection)}>{live.refresh}</a>
            </noscript>
          </p>
        </section>
        <div class="cards">
          {lists.map((list) => (
            <List key={list.dimension} list={list} />
          ))}
        </div>
      </main>
      <footer class="notes">
        <p>{live.footer(view.timeZone)}</p>
      </footer>
    </Frame>
  );
}

/** A bar for each minute, and a table of the same numbers. */
function Minutes({ minutes }: { readonly minutes: readonly MinuteView[] }) {
  const { words, format } = useLocale();
  const most = Math.max(1, ...minutes.map(({ visitors }) => visitors));
  const width = 100 / minutes.length;
  return (
    <figure class="minutes">
      <figcaption>{words.live.byMinute}</figcaption>
      <svg data-part="bars" aria-hidden="true">
        {minutes.map(({ name, visitors }, index) => {
          const height = (100 * visitors) / most;
          return (
            <rect
              key={name}
              class={index === minutes.length - 1 ? 'now' : undefined}
              x={`${(index * width).toFixed(2)}%`}
              y={`${(100 - height).toFixed(1)}%`}
              width={`${(0.8 * width).toFixed(2)}%`}
              height={`${height.toFixed(1)}%`}
            >
              <title>
                {name}: {format.count(visitors)}
              </title>
            </rect>
          );
        })}
      </svg>
      <p class="minutes-axis" data-part="axis">
        <span>{minutes[0]?.name}</span>
        <span>{words.chart.now}</span>
      </p>
      <div class="chart-foot">
        <details>
          <summary>{words.chart.table}</summary>
          <table>
            <caption>{words.live.byMinute}</caption>
            <thead>
              <tr>
                <th scope="col">{words.chart.when}</th>
                <th scope="col">{words.figures.visitors}</th>
              </tr>
            </thead>
            <tbody data-part="minutes">
              {minutes.map(({ name, visitors }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{format.count(visitors)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      </div>
    </figure>
  );
}

function List({ list: { dimension, rows, more } }: { readonly list: LiveList }) {
  const { words, format } = useLocale();
  const { one, many } = words.dimensions[dimension];
  return (
    <section class="card lists" aria-labelledby={`${dimension}-title`} data-part={dimension}>
      <div class="card-head">
        <h2 id={`${dimension}-title`}>{many}</h2>
      </div>
      <div class="list">
        <table data-dimension={dimension}>
          <caption>{many}</caption>
          <thead>
            <tr>
              <th scope="col">{one}</th>
              <th scope="col">{words.figures.visitors}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.value} data-value={row.value ?? ''}>
                <th scope="row">
                  <Bar share={row.bar} />
                  <RowLabel row={row} />
                </th>
                <td data-metric="visitors">{format.count(row.visitors)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length === 0 && <p class="nothing">{words.live.nothing}</p>}
        {more > 0 && <p class="hint">{words.live.more(more)}</p>}
      </div>
    </section>
  );
}
