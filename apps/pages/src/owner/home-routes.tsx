import { canAddOwner, isOfKey, type JoinDependencies, lacksSecondFactor, viewersOf } from '@hitherto/domain/people';
import type { FastifyInstance } from 'fastify';
import { sendPage } from '../shared/page.tsx';
import { HOME, NEW_WEBSITE, WEBSITES, YOU } from '../shared/paths.ts';
import { queryParameters } from '../shared/request.ts';
import { readNextPath } from '../shared/sign-in-path.ts';
import { headerOf } from './header.ts';
import { SignInPage } from './sign-in-page.tsx';
import type { WaysIn } from './ways-in.ts';
import { WebsitesPage } from './websites-page.tsx';
import { readWebsitesView, type WebsitesViewDependencies } from './websites-view.ts';

export interface HomeDependencies extends WebsitesViewDependencies, WaysIn, Pick<JoinDependencies, 'people'> {}

/** The list of websites, or the sign-in (pages.md; people.md, "Pages"). */
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
    const view = await readWebsitesView(deps, viewersOf(signedIn), query);
    const canAddThemself = isOfKey(signedIn) && (await canAddOwner(deps, signedIn.key));
    return sendPage(reply, <WebsitesPage header={headerOf(request)} view={view} canAddThemself={canAddThemself} />);
  });
  scope.get(WEBSITES, async (_request, reply) => reply.redirect(NEW_WEBSITE, 303));
}
