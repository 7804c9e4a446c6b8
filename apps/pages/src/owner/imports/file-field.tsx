import { useLocale } from '../../shared/locale.tsx';

interface FileFieldProps {
  readonly label: string;
  /** Whether the form was rejected: browsers do not keep the choice. */
  readonly isAgain: boolean;
}

/** Chooses the file of an upload. */
export function FileField({ label, isAgain }: FileFieldProps) {
  const { imports } = useLocale().words;
  return (
    <div class="field">
      <label for="file">{label}</label>
      {isAgain && (
        <p class="hint" id="file-hint">
          {imports.chooseAgain}
        </p>
      )}
      <input id="file" name="file" type="file" required aria-describedby={isAgain ? 'file-hint' : undefined} />
    </div>
  );
}
