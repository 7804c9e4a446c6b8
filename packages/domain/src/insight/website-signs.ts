import { may, type Viewer } from '../access/rights.ts';
import type { AlertRepository } from '../alerts/alert-repository.ts';
import { dayOf, type TimeZone, zoneOf } from '../calendar/time-zone.ts';
import type { FindingRepository, OpenFindings } from '../checks/finding-repository.ts';
import type { OverviewRow } from '../reading/list-overview.ts';

/** Signs of trouble at a website of a list. They are for those who see its settings. */
export interface WebsiteSigns {
  readonly findings: OpenFindings | undefined;
  /** When an alert of a spike fired today. */
  readonly spikeAt: Date | undefined;
}

export interface WebsiteSignsDependencies {
  readonly alerts: AlertRepository;
  readonly findings: FindingRepository;
  /** The installation's. */
  readonly zone: TimeZone;
  readonly now: () => Date;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The signs of the websites of a list, in its order; `undefined` of those whose settings are not seen. */
export async function showWebsiteSigns(
  { alerts, findings, zone: installation, now }: WebsiteSignsDependencies,
  rows: readonly OverviewRow<Viewer>[],
): Promise<readonly (WebsiteSigns | undefined)[]> {
  const seen = rows.filter(({ owner }) => may(owner, 'see_settings')).map(({ website }) => website.id);
  const [open, spikes] = await Promise.all([
    findings.countOpen(seen),
    alerts.spikes(seen, new Date(now().getTime() - DAY_MS)),
  ]);
  return rows.map(({ owner, website, numbers }) => {
    if (!may(owner, 'see_settings')) return undefined;
    const spike = spikes.get(website.id);
    const isToday = spike !== undefined && dayOf(zoneOf(website, installation), spike) === numbers.to;
    return { findings: open.get(website.id), spikeAt: isToday ? spike : undefined };
  });
}
