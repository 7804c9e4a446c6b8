import cookie from '@fastify/cookie';
import type { AccessRepository } from '@hitherto/domain/access';
import type { WebsiteDirectory } from '@hitherto/domain/websites';
import { compressTexts, decodeForms, type Face, type Lifecycle, logRequests, requirePrepared } from '@hitherto/http';
import type { Locale } from '@hitherto/words';
import type { FastifyInstance } from 'fastify';
import { type ChangesRoutesDependencies, changesRoutes } from './owner/changes-routes.tsx';
import {
  type CoverageRoutesDependencies,
  coverageRoutes,
  coverageUploadRoute,
} from './owner/coverage/coverage-routes.tsx';
import { type FindingRoutesDependencies, findingRoutes } from './owner/findings.tsx';
import { type HomeDependencies, homeRoutes } from './owner/home-routes.tsx';
import { createHeldFiles, type HeldFiles } from './owner/imports/held-files.ts';
import { type ImportRoutesDependencies, importRoutes, uploadRoute } from './owner/imports/imports-routes.tsx';
import { acceptUploads } from './owner/imports/uploads.ts';
import { moveRoutes } from './owner/move-routes.tsx';
import { type ResourceDependencies, websiteResourceRoutes } from './owner/resources/routes.ts';
import { webhookRoutes } from './owner/resources/webhooks/webhook-routes.tsx';
import {
  actForWebsite,
  readSessions,
  rejectForeignWrites,
  requireRight,
  requireSecondFactor,
  requireSession,
  requireWriteScope,
} from './owner/session.ts';
import { createSignInLimits } from './owner/sign-in-limits.ts';
import { type SignInDependencies, signInRoutes } from './owner/sign-in-routes.tsx';
import {
  droppedRoute,
  newWebsiteRoutes,
  type WebsiteRoutesDependencies,
  websiteRoutes,
} from './owner/website-routes.tsx';
import { type BrandRoutesDependencies, brandRoutes } from './people/account/brand-routes.tsx';
import { ownAccount } from './people/account/own-account.tsx';
import { peopleRoutes } from './people/account/people-routes.tsx';
import { type JoinRoutesDependencies, joinRoutes } from './people/join-routes.tsx';
import { type ProviderDependencies, providerRoutes } from './people/provider-routes.tsx';
import { type RecoveryDependencies, recoveryRoutes } from './people/recovery-routes.tsx';
import { type SecondFactorRoutesDependencies, secondFactorRoutes } from './people/second-factor-routes.tsx';
import { youRoutes } from './people/you/routes.tsx';
import { confirmRoutes } from './reports/confirm.tsx';
import { type UnsubscribeRouteDependencies, unsubscribeRoutes } from './reports/unsubscribe.tsx';
import { assetRoutes } from './shared/assets.ts';
import { createAttemptLimit } from './shared/attempt-limit.ts';
import { brandFileRoutes } from './shared/brand-files.ts';
import { addPageHeaders, hideAddress } from './shared/page.tsx';
import { setInstallation } from './shared/request.ts';
import { recheckRights } from './shared/rights-meanwhile.tsx';
import { sendErrorPage } from './shared/send-error.tsx';
import { type Entry, OWN_PAGE, SHARED_PAGE } from './statistics/find-page.ts';
import { type StatisticsRoutesDependencies, statisticsRoutes } from './statistics/routes.tsx';
import { type UnlockDependencies, unlockRoute } from './statistics/unlock-route.ts';

/** The dependencies and settings of the pages. */
export interface PagesDependencies
  extends StatisticsRoutesDependencies,
    UnlockDependencies,
    HomeDependencies,
    SignInDependencies,
    SecondFactorRoutesDependencies,
    JoinRoutesDependencies,
    RecoveryDependencies,
    ProviderDependencies,
    WebsiteRoutesDependencies,
    ChangesRoutesDependencies,
    FindingRoutesDependencies,
    ResourceDependencies,
    ImportRoutesDependencies,
    CoverageRoutesDependencies,
    BrandRoutesDependencies,
    UnsubscribeRouteDependencies {
  readonly access: AccessRepository;
  readonly directory: WebsiteDirectory;
  readonly lifecycle: Lifecycle;
  /** The origin at which people reach this installation, where that is set. */
  readonly publicUrl: string | undefined;
  readonly version: string;
  /** The language of pages where none is chosen. */
  readonly locale: Locale;
}

/** The statistics pages and the owner's pages. Errors are pages, too. */
export function createPages(deps: PagesDependencies): Face {
  return {
    sendError: (error, request, reply) => sendErrorPage(deps.locale, error, request, reply),
    hasErrorPages: true,
    async register(scope) {
      await scope.register(cookie);
      setInstallation(scope, deps);
      addPageHeaders(scope);
      recheckRights(scope, deps);
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
        await prepared.register(async (confirming) => confirmRoutes(confirming, deps));
        const held = createHeldFiles(deps);
        prepared.addHook('onClose', () => held.close());
        await prepared.register(async (owner) => ownerRoutes(owner, deps, held));
        await prepared.register(async (files) => brandFileRoutes(files, deps));
        await prepared.register(async (branding) => {
          requireSecuredSession(branding, deps);
          ownAccount(branding);
          brandRoutes(branding, deps);
        });
        await prepared.register(async (uploading) => {
          requireSecuredSession(uploading, deps);
          actForWebsite(uploading, deps);
          requireRight(uploading, 'see_settings');
          requireWriteScope(uploading);
          await acceptUploads(uploading);
          uploadRoute(uploading, deps, held);
          coverageUploadRoute(uploading, deps);
        });
      });
    },
  };
}

/** For forms with files, whose bodies are not decoded as those of the other pages of who is signed in. */
function requireSecuredSession(scope: FastifyInstance, deps: PagesDependencies): void {
  rejectForeignWrites(scope);
  readSessions(scope, deps);
  requireSession(scope);
  requireSecondFactor(scope);
}

/** The statistics page at one kind of address, and the form that unlocks it. */
async function pageRoutes(scope: FastifyInstance, deps: PagesDependencies, entry: Entry): Promise<void> {
  statisticsRoutes(scope, deps, entry);
  await scope.register(async (unlocking) => unlockRoute(unlocking, deps, entry, createAttemptLimit()));
}

function ownerRoutes(scope: FastifyInstance, deps: PagesDependencies, held: HeldFiles): void {
  rejectForeignWrites(scope);
  decodeForms(scope);
  readSessions(scope, deps);
  const limits = createSignInLimits(deps);
  homeRoutes(scope, deps);
  signInRoutes(scope, deps, limits);
  secondFactorRoutes(scope, deps, limits);
  joinRoutes(scope, deps);
  recoveryRoutes(scope, deps);
  providerRoutes(scope, deps);
  scope.register(async (signedIn) => {
    requireSession(signedIn);
    youRoutes(signedIn, deps, limits);
    signedIn.register(async (secured) => securedRoutes(secured, deps, held));
  });
}

/** The pages of those who have a second factor, or need none. */
function securedRoutes(signedIn: FastifyInstance, deps: PagesDependencies, held: HeldFiles): void {
  requireSecondFactor(signedIn);
  peopleRoutes(signedIn, deps);
  signedIn.register(async (adding) => newWebsiteRoutes(adding, deps));
  webhookRoutes(signedIn, deps);
  signedIn.register(async (ofWebsite) => {
    actForWebsite(ofWebsite, deps);
    droppedRoute(ofWebsite, deps);
    ofWebsite.register(async (moving) => moveRoutes(moving, deps));
    ofWebsite.register(async (settings) => {
      requireRight(settings, 'see_settings');
      websiteRoutes(settings, deps);
      changesRoutes(settings, deps);
      findingRoutes(settings, deps);
      websiteResourceRoutes(settings, deps);
      importRoutes(settings, deps, held);
      coverageRoutes(settings, deps);
    });
  });
}
