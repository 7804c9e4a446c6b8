import { performance } from 'node:perf_hooks';
import cookie from '@fastify/cookie';
import { type Face, logRequests } from '@hitherto/http';
import { assetRoutes } from './http/assets.ts';
import { compressTexts } from './http/compress.ts';
import { sendErrorPage } from './http/send-error.tsx';
import { addPageHeaders } from './http/send-page.ts';
import { type StatisticsRoutesDependencies, statisticsRoutes } from './statistics/routes.tsx';
import { createUnlockLimit } from './statistics/unlock-limit.ts';
import { type UnlockDependencies, unlockRoute } from './statistics/unlock-route.tsx';

/** What the pages need from outside, and how they are configured. */
export interface PagesDependencies extends StatisticsRoutesDependencies, Omit<UnlockDependencies, 'unlockLimit'> {
  /** Where people reach this installation, where that is set. */
  readonly publicUrl: string | undefined;
}

/** The statistics pages and the owner's pages. Errors are pages, too. */
export function createPages(deps: PagesDependencies): Face {
  return {
    sendError: sendErrorPage,
    async register(scope) {
      await scope.register(cookie);
      addPageHeaders(scope);
      compressTexts(scope);
      logRequests(scope);
      assetRoutes(scope);
      statisticsRoutes(scope, deps);
      const unlockLimit = createUnlockLimit(() => performance.now());
      await scope.register(async (unlocking) => unlockRoute(unlocking, { ...deps, unlockLimit }));
    },
  };
}
