import { createApi } from '@hitherto/api';
import { type CollectorDependencies, createCollector } from '@hitherto/collector';
import { createHitNotes } from '@hitherto/domain/hits';
import type { Importer } from '@hitherto/domain/imports';
import type { CoverageReader } from '@hitherto/domain/insight';
import type { IsCommonPassword, PasskeyChecks, Totp } from '@hitherto/domain/people';
import type { ReportMailing } from '@hitherto/domain/reports';
import type { DeliverDependencies } from '@hitherto/domain/webhooks';
import type { PasswordHasher } from '@hitherto/domain/websites';
import { createFailedKeyLimit, type Face } from '@hitherto/http';
import { createPages, type PagesDependencies, sendExplanation } from '@hitherto/pages';
import { localeOf } from '@hitherto/words';
import type { OpenedDatabase } from '../installation/database.ts';
import type { Settings } from '../installation/settings.ts';

type Shared = 'lookups' | 'visitors' | 'metrics' | 'lifecycle' | 'now';

/** The dependencies of the faces. */
interface FaceDependencies extends Pick<CollectorDependencies, Shared> {
  readonly deliveries: DeliverDependencies;
  /** Mails reports; `undefined` without a mail server. */
  readonly reportMailing: ReportMailing | undefined;
  /** Whether links can be mailed to people. */
  readonly mailsPeople: boolean;
  readonly settings: Settings;
  readonly database: OpenedDatabase;
  readonly importer: Importer;
  readonly coverageReader: CoverageReader;
  readonly passwords: PasswordHasher;
  readonly isCommonPassword: IsCommonPassword;
  readonly totp: Totp;
  readonly passkeyChecks: PasskeyChecks;
  readonly provider: PagesDependencies['provider'];
  /** Called when the link of the first start was used. */
  readonly onSetUp: () => Promise<void>;
  readonly version: string;
  readonly newId: () => string;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** The faces of the service. The first one also gets unknown paths. */
export function facesOf({ settings, database, ...deps }: FaceDependencies): readonly [Face, ...Face[]] {
  const notes = createHitNotes(database.notedHits);
  const common = { ...database, ...deps, notes, zone: settings.timeZone, failedKeys: createFailedKeyLimit() };
  const { rateLimitPerMinute, scriptPaths, hitPaths } = settings;
  const collector = createCollector({ ...common, rateLimitPerMinute, scriptPaths, hitPaths });
  return [
    createApi({ ...common, documented: [collector.documentation], rateLimitPerMinute, sendExplanation }),
    collector,
    createPages({
      ...common,
      hasPasswords: settings.hasPasswords,
      publicUrl: settings.publicUrl,
      locale: localeOf(settings.language),
      scriptPath: scriptPaths?.[0],
    }),
  ];
}
