import { countOf, formatCount } from '@hitherto/domain/format';
import { PeriodChoice } from './period-choice.tsx';
import type { Selection } from './selection.ts';
import type { WebsiteView } from './view.ts';

interface StatisticsHeaderProps {
  readonly website: WebsiteView;
  readonly path: string;
  readonly selection: Selection;
  readonly isOwner: boolean;
  readonly currentVisitors: number;
  readonly today: string;
}

/** The website's address, its current visitors, and the choice of the period. */
export function StatisticsHeader({ website, path, selection, isOwner, currentVisitors, today }: StatisticsHeaderProps) {
  return (
    <header class="statistics-header">
      <div class="website">
        {isOwner && <OwnerLinks id={website.id} />}
        <h1>{website.address}</h1>
        <p class={currentVisitors > 0 ? 'now live' : 'now'} title="Visitors of the last 5 minutes">
          <strong>{formatCount(currentVisitors)}</strong>{' '}
          {countOf(currentVisitors, 'visitor', 'visitors').replace(/^\S+ /, '')} now
        </p>
      </div>
      <PeriodChoice path={path} selection={selection} today={today} />
    </header>
  );
}

function OwnerLinks({ id }: { readonly id: string }) {
  return (
    <nav class="owner-links" aria-label="Owner">
      <a href="/">All websites</a>
      <a href={`/websites/${id}`}>Settings</a>
    </nav>
  );
}
