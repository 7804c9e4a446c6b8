import { type Annotation, MAX_ANNOTATIONS } from '@hitherto/domain/annotations';
import type { Fault } from '@hitherto/domain/base';
import type { Day } from '@hitherto/domain/calendar';
import { formatFullDay } from '@hitherto/domain/format';
import { annotationPath, websitePath } from '../shared/paths.ts';
import { Faults } from './field.tsx';
import { versionOf } from './versions.ts';

export interface AnnotationFormValues {
  readonly day: string;
  readonly text: string;
  readonly isPublic: boolean;
  /** Of the annotation that the form showed, if the form says so. */
  readonly version?: string | undefined;
}

/** A form that was not saved. */
export interface RejectedForm {
  /** The id of the annotation; `undefined` of a new one. */
  readonly id: string | undefined;
  readonly values: AnnotationFormValues;
  readonly faults: readonly Fault[];
  /** A reason that is about no field. */
  readonly reason?: string;
}

interface AnnotationsPageProps {
  readonly websiteId: string;
  /** The newest day first. */
  readonly annotations: readonly Annotation[];
  readonly today: Day;
  readonly canWrite: boolean;
  /** The owner's last action. */
  readonly done: string | undefined;
  readonly rejected: RejectedForm | undefined;
}

/** The annotations of a website, each with a form that changes it, and one for a new one (api.md, "Annotations"). */
export function AnnotationsPage({ websiteId, annotations, today, canWrite, done, rejected }: AnnotationsPageProps) {
  // One that was deleted elsewhere can be added again.
  const added = annotations.some(({ id }) => id === rejected?.id) ? undefined : rejected;
  return (
    <>
      {done !== undefined && (
        <p class="notice good" role="status">
          {done}
        </p>
      )}
      {rejected !== undefined && (
        <p class="fault" role="alert">
          Nothing was saved. {rejected.reason}
        </p>
      )}
      <p>A note about a day, such as a release, which the chart of the statistics page marks.</p>
      {canWrite && annotations.length < MAX_ANNOTATIONS && (
        <AnnotationForm
          action={websitePath(websiteId, 'annotations')}
          values={added?.values ?? { day: today, text: '', isPublic: false }}
          faults={added?.faults ?? []}
          name="new"
          submit="Add the annotation"
        />
      )}
      {annotations.length >= MAX_ANNOTATIONS && (
        <p>These are all {MAX_ANNOTATIONS} annotations that a website can have.</p>
      )}
      {annotations.length > 0 && (
        <ul class="card definitions">
          {annotations.map((annotation) => (
            <Item
              key={annotation.id}
              websiteId={websiteId}
              annotation={annotation}
              canWrite={canWrite}
              rejected={rejected?.id === annotation.id ? rejected : undefined}
            />
          ))}
        </ul>
      )}
    </>
  );
}

interface ItemProps {
  readonly websiteId: string;
  readonly annotation: Annotation;
  readonly canWrite: boolean;
  readonly rejected: RejectedForm | undefined;
}

function Item({ websiteId, annotation, canWrite, rejected }: ItemProps) {
  const { id, day, text, isPublic } = annotation;
  return (
    <li class="opens">
      <div>
        <bdi>
          <strong>{text}</strong>
        </bdi>
        <p class="hint">
          {formatFullDay(day)}, {isPublic ? 'public' : 'only for you'}
        </p>
      </div>
      {canWrite && (
        <details open={rejected !== undefined}>
          <summary aria-label={`Change ${text}`}>Change</summary>
          <AnnotationForm
            action={annotationPath(websiteId, id)}
            values={rejected?.values ?? { day, text, isPublic }}
            faults={rejected?.faults ?? []}
            version={rejected?.values.version ?? versionOf(annotation)}
            name={id}
            submit="Save"
          />
          <form method="post" action={annotationPath(websiteId, id)}>
            <button class="danger" type="submit" name="delete" value="1">
              Delete
            </button>
          </form>
        </details>
      )}
    </li>
  );
}

interface AnnotationFormProps {
  readonly action: string;
  readonly values: AnnotationFormValues;
  readonly faults: readonly Fault[];
  /** Of the stored annotation, if there is one. */
  readonly version?: string;
  /** Tells the controls of several forms apart. */
  readonly name: string;
  readonly submit: string;
}

function AnnotationForm({ action, values, faults, version, name, submit }: AnnotationFormProps) {
  const fieldsOf = (field: 'day' | 'text') => {
    const isFaulty = faults.some((fault) => fault.field === field);
    return {
      id: `${field}-${name}`,
      name: field,
      value: values[field],
      required: true,
      'aria-invalid': isFaulty ? ('true' as const) : undefined,
      'aria-describedby': isFaulty ? `${field}-fault` : undefined,
    };
  };
  return (
    <form class="settings annotation-form" method="post" action={action}>
      {version !== undefined && <input type="hidden" name="version" value={version} />}
      <div class="field">
        <label for={`day-${name}`}>Day</label>
        <input type="date" {...fieldsOf('day')} />
        <Faults name="day" faults={faults} />
      </div>
      <div class="field">
        <label for={`text-${name}`}>Text</label>
        <input maxLength={200} {...fieldsOf('text')} />
        <Faults name="text" faults={faults} />
      </div>
      <label class="check">
        <input type="checkbox" name="is_public" value="1" checked={values.isPublic} />
        Show it to everyone who sees the statistics
      </label>
      <button type="submit">{submit}</button>
    </form>
  );
}
