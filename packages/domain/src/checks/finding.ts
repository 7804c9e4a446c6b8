import type { Day } from '../calendar/days.ts';
import type { Event } from '../changes/event.ts';
import type { NamedWebsite } from '../websites/website-event.ts';
import type { CheckName, EvidenceOf } from './checks.ts';

export const FINDING_STATES = ['open', 'fixed', 'dismissed'] as const;
export type FindingStatus = (typeof FINDING_STATES)[number];

/** What a check has found on a website, by the name of the check. */
export type Finding<Name extends CheckName = CheckName> = {
  readonly [Each in Name]: FindingState & { readonly check: Each; readonly evidence: EvidenceOf[Each] };
}[Name];

interface FindingState {
  /** UUIDv7. */
  readonly id: string;
  /** With the check, what tells it from the other findings of the website. */
  readonly subject: string;
  /** The first day with it that was looked at. */
  readonly since: Day;
  readonly size: number;
  readonly status: FindingStatus;
  /** When it was opened last. */
  readonly openedAt: Date;
  /** Strictly later with every change, to the millisecond. */
  readonly updatedAt: Date;
}

/** A finding was opened. */
export type FindingEvent = Event<'finding.opened', { readonly website: NamedWebsite; readonly finding: OpenedFinding }>;

/** A finding as it is stored with an event: plain JSON. */
export interface OpenedFinding {
  readonly id: string;
  readonly check: CheckName;
  readonly since: Day;
  readonly evidence: Finding['evidence'];
  readonly text: string;
}
