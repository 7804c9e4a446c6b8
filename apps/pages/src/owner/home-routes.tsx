import { may } from '@hitherto/domain/access';
import { dayOf } from '@hitherto/domain/calendar';
import { canAddOwner, isOfKey, type JoinDependencies, lacksSecondFactor, viewersOf } from '@hitherto/domain/people';
import { MAX_CSV_ROWS, overviewCsv } from '@hitherto/wire';
import type { FastifyInstance } from 'fastify';
import { headerOf } from '../shared/header.ts';
import { localeFor } from '../shared/locale.tsx';
import { sendPage } from '../shared/page.tsx';
import { HOME, NEW_WEBSITE, OVERVIEW_CSV, WEBSITES, YOU } from '../shared/paths.ts';
import { originOf, queryParameters } from '../shared/request.ts';
import { sendCsvFile } from '../shared/send-csv-file.ts';
import { readNextPath } from '../shared/sign-in-path.ts';
import { SignInPage } from './sign-in-page.tsx';
import type { WaysIn } from './ways-in.ts';
import { WebsitesPage } from './websites-page.tsx';
import { readOverview, readWebsitesView, type WebsitesViewDependencies } from './websites-view.ts';

export interface HomeDependencies extends WebsitesViewDependencies, WaysIn, Pick<JoinDependencies, 'people'> {
  /** Of the tracker, if it has a path of its own. */
  readonly scriptPath?: string | undefined;
}

/** The list of websites, or the sign-in (pages.md; people.md, "The pages"). */
export function homeRoutes(scope: FastifyInstance, deps: HomeDependencies): void {
  scope.get(HOME, async (request, reply) => {
    const { signedIn } = request;
    const query = queryParameters(request);
    const asked = query.get('next');
    const next = readNextPath(asked ?? request.url);
    // Who is signed in sees the form, too: the page may be of another account.
    if (signedIn === null || (asked !== null && next !== undefined)) {
      return sendPage(reply, <SignInPage ways={deps} next={next} />);
    }
    if (lacksSecondFactor(signedIn)) return reply.redirect(YOU, 303);
    const view = await readWebsitesView(deps, viewersOf(signedIn), query, localeFor(request));
    const canAddThemself = isOfKey(signedIn) && (await canAddOwner(deps, signedIn.key));
    const snippet = { origin: originOf(request), scriptPath: deps.scriptPath ?? '/script.js' };
    return sendPage(
      reply,
      <WebsitesPage header={headerOf(request)} view={view} snippet={snippet} canAddThemself={canAddThemself} />,
    );
  });
  scope.get(OVERVIEW_CSV, async (request, reply) => {
    const { signedIn } = request;
    if (signedIn === null || lacksSecondFactor(signedIn)) return reply.redirect(HOME, 303);
    const viewers = viewersOf(signedIn);
    const { rows } = await readOverview(deps, viewers, queryParameters(request), MAX_CSV_ROWS);
    const csv = overviewCsv(
      rows,
      viewers.every((viewer) => may(viewer, 'see_settings')),
    );
    return sendCsvFile(reply, `websites-${dayOf(deps.zone, deps.now())}`, csv);
  });
  scope.get(WEBSITES, async (_request, reply) => reply.redirect(NEW_WEBSITE, 303));
}
