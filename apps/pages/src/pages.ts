import cookie from '@fastify/cookie';
import type { WebsiteDirectory } from '@hitherto/domain/websites';
import { compressTexts, decodeForms, type Face, type Lifecycle, logRequests, requirePrepared } from '@hitherto/http';
import type { FastifyInstance } from 'fastify';
import { type ChangesRoutesDependencies, changesRoutes } from './owner/changes-routes.tsx';
import { type HomeDependencies, homeRoutes } from './owner/home-routes.tsx';
import { createHeldFiles, type HeldFiles } from './owner/imports/held-files.ts';
import { type ImportRoutesDependencies, importRoutes, uploadRoute } from './owner/imports/imports-routes.tsx';
import { allResourceRoutes, type ResourceDependencies } from './owner/resources/routes.ts';
import { readSessions, rejectForeignWrites, requireSession } from './owner/session.ts';
import { type WebsiteRoutesDependencies, websiteRoutes } from './owner/website-routes.tsx';
import { type UnsubscribeRouteDependencies, unsubscribeRoutes } from './reports/unsubscribe.tsx';
import { assetRoutes } from './shared/assets.ts';
import { addPageHeaders, hideAddress } from './shared/page.tsx';
import { setPublicUrl } from './shared/request.ts';
import { sendErrorPage } from './shared/send-error.tsx';
import { type Entry, OWN_PAGE, SHARED_PAGE } from './statistics/find-page.ts';
import { type StatisticsRoutesDependencies, statisticsRoutes } from './statistics/routes.tsx';
import { createUnlockLimit } from './statistics/unlock-limit.ts';
import { type UnlockDependencies, unlockRoute } from './statistics/unlock-route.ts';

/** The dependencies and settings of the pages. */
export interface PagesDependencies
  extends StatisticsRoutesDependencies,
    UnlockDependencies,
    HomeDependencies,
    WebsiteRoutesDependencies,
    ChangesRoutesDependencies,
    ResourceDependencies,
    ImportRoutesDependencies,
    UnsubscribeRouteDependencies {
  readonly directory: WebsiteDirectory;
  readonly lifecycle: Lifecycle;
  /** The origin at which people reach this installation, where that is set. */
  readonly publicUrl: string | undefined;
}

/** The statistics pages and the owner's pages. Errors are pages, too. */
export function createPages(deps: PagesDependencies): Face {
  return {
    sendError: sendErrorPage,
    hasErrorPages: true,
    async register(scope) {
      await scope.register(cookie);
      setPublicUrl(scope, deps.publicUrl);
      addPageHeaders(scope);
      // No page contains a secret: sessions and unlocks are in cookies.
      compressTexts(scope);
      logRequests(scope);
      assetRoutes(scope);
      await scope.register(async (prepared) => {
        requirePrepared(prepared, deps.lifecycle);
        await prepared.register(async (own) => pageRoutes(own, deps, OWN_PAGE));
        await prepared.register(async (shared) => {
          hideAddress(shared);
          await pageRoutes(shared, deps, SHARED_PAGE);
        });
        await prepared.register(async (unsubscribing) => unsubscribeRoutes(unsubscribing, deps));
        const held = createHeldFiles(deps);
        prepared.addHook('onClose', () => held.close());
        await prepared.register(async (owner) => ownerRoutes(owner, deps, held));
        await prepared.register(async (uploading) => {
          rejectForeignWrites(uploading);
          readSessions(uploading, deps);
          requireSession(uploading);
          await uploadRoute(uploading, deps, held);
        });
      });
    },
  };
}

/** The statistics page at one kind of address, and the form that unlocks it. */
async function pageRoutes(scope: FastifyInstance, deps: PagesDependencies, entry: Entry): Promise<void> {
  statisticsRoutes(scope, deps, entry);
  await scope.register(async (unlocking) => unlockRoute(unlocking, deps, entry, createUnlockLimit()));
}

function ownerRoutes(scope: FastifyInstance, deps: PagesDependencies, held: HeldFiles): void {
  rejectForeignWrites(scope);
  decodeForms(scope);
  readSessions(scope, deps);
  homeRoutes(scope, deps);
  scope.register(async (signedIn) => {
    requireSession(signedIn);
    websiteRoutes(signedIn, deps);
    changesRoutes(signedIn, deps);
    allResourceRoutes(signedIn, deps);
    importRoutes(signedIn, deps, held);
  });
}
