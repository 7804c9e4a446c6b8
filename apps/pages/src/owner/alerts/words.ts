import type { AlertRule } from '@hitherto/domain/alerts';

export const RULES: Readonly<Record<AlertRule, string>> = {
  spike: 'Spike: far more current visitors than usual',
  drop: 'Drop: far fewer visitors today than usual',
  silence: 'Silence: no hit for some hours',
  goal: 'Goal: its conversions of the day reach a number',
  dropped: 'Hits not counted: more than a share of the last hour',
};
