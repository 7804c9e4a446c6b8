import { formatFullDay } from '@hitherto/domain/format';
import type { NotesView } from './view.ts';

/** What the numbers mean, and what is not kept (statistics.md, sections 1 and 6). */
export function Notes({ notes: { timeZone, excludesBots, firstDay } }: { readonly notes: NotesView }) {
  return (
    <footer class="notes">
      <p>
        A visitor is one device on one day, so someone who comes on two days counts twice. A visit ends after 30 minutes
        without a hit. A bounce is a visit with one pageview and no event. Days begin at midnight in {timeZone}. Known
        bots are {excludesBots ? 'not counted' : 'counted too'}. No cookies are set and no IP addresses are stored.
        {firstDay !== undefined && ` Counted since ${formatFullDay(firstDay)}.`}
      </p>
    </footer>
  );
}
