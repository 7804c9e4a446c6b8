import { statisticsPath, websitePath } from '../shared/paths.ts';

interface FirstVisitProps {
  readonly websiteId: string;
  readonly isWaiting: boolean;
}

/** Whether visits arrive, and where to go on. */
export function FirstVisit({ websiteId, isWaiting }: FirstVisitProps) {
  const statistics = <a href={statisticsPath(websiteId)}>its statistics</a>;
  if (!isWaiting) return <p class="notice good">Visits are counted: see {statistics}.</p>;
  return (
    <p class="notice">
      Waiting for the first visit. Put the line in, open a page of the website, and reload this one. Meanwhile, you can
      open {statistics}, <a href={websitePath(websiteId, 'goals')}>define goals</a>, or{' '}
      <a href={websitePath(websiteId, 'imports')}>import years counted elsewhere</a>. If the visit does not arrive,{' '}
      <a href={websitePath(websiteId, 'check')}>check it</a>.
    </p>
  );
}
