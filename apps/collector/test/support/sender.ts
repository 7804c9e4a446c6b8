import type { HitSender } from '@hitherto/domain/hits';

/** A browser that sends nothing about itself. */
export const FROM: HitSender = { sender: 'browser', time: new Date('2026-11-20T12:00:00Z') };
