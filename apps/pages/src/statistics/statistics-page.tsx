import { Frame } from '../shared/frame.tsx';
import { Chart } from './chart.tsx';
import { EmptyWebsite } from './empty-website.tsx';
import { FiguresRow } from './figures.tsx';
import { FilterChips } from './filter-chips.tsx';
import { ListCard } from './list-card.tsx';
import { Notes } from './notes.tsx';
import { statisticsPath } from './paths.ts';
import { StatisticsHeader } from './statistics-header.tsx';
import type { StatisticsView } from './view.ts';

interface StatisticsPageProps {
  readonly view: StatisticsView;
  /** Of this installation, for the snippet. */
  readonly origin: string;
}

/** The statistics page of a website (statistics.md, section 6). */
export function StatisticsPage({ view, origin }: StatisticsPageProps) {
  const { website, selection, figures, before } = view;
  const path = statisticsPath(website.id);
  const isEmpty = view.notes.firstDay === undefined;
  return (
    <Frame title={`${website.address} · Statistics`} canCopy={isEmpty}>
      <StatisticsHeader {...view} path={path} />
      <main>
        <FilterChips pathOf={() => path} selection={selection} />
        {isEmpty && <EmptyWebsite website={website} origin={origin} />}
        <section class="card numbers" aria-label="Numbers">
          <FiguresRow path={path} selection={selection} figures={figures} before={before} />
          <Chart chart={view.chart} />
        </section>
        {!isEmpty && (
          <div class="cards">
            {view.cards.map((card) => (
              <ListCard key={card.id} card={card} />
            ))}
          </div>
        )}
      </main>
      <Notes notes={view.notes} />
    </Frame>
  );
}
