import type { Metrics } from '@hitherto/http';
import { Gauge, Histogram } from 'prom-client';
import type { Collection } from './collect.ts';

/** The metrics of hits from browsers (statistics.md, section 10). No label holds a website or an address. */
export interface HitMetrics {
  /** A hit was stored. */
  counted(): void;
  dropped(reason: string): void;
  /** A request with a hit got this problem. */
  refused(problem: string): void;
  /** A batch was stored. */
  committed(hits: number, seconds: number): void;
  /** Reads the waiting hits whenever the metrics are read. */
  watch(collection: Pick<Collection, 'waiting' | 'longestWait'>): void;
}

export function createHitMetrics({ registry, hits }: Pick<Metrics, 'registry' | 'hits'>): HitMetrics {
  const registers = [registry];
  const counted = hits.labels('counted', '');
  const sizes = new Histogram({
    name: 'hitherto_hit_batch_size',
    help: 'Hits stored by one transaction.',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000],
    registers,
  });
  const times = new Histogram({
    name: 'hitherto_hit_commit_duration_seconds',
    help: 'Time to store a batch of hits.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });

  return {
    counted: () => counted.inc(),
    dropped: (reason) => hits.inc({ outcome: 'dropped', reason }),
    refused: (reason) => hits.inc({ outcome: 'refused', reason }),
    committed(count, seconds) {
      sizes.observe(count);
      times.observe(seconds);
    },
    watch({ waiting, longestWait }) {
      gauge('hitherto_hits_waiting', 'Hits that wait to be stored.', waiting);
      gauge('hitherto_hits_longest_wait_seconds', 'How long the oldest waiting hit has waited.', longestWait);
    },
  };

  function gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  }
}
