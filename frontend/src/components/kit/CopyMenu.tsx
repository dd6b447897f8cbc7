// Taking something along: copied as text, or downloaded as JSON.
import { copyText, fileName, saveFile } from "./files";
import { ActMenu, Button } from "./controls";

interface Props {
  /** What it is: "answers". */
  what: string;
  /** What it belongs to, for the name of the file. */
  of: string;
  /** How the way to copy it is called, and what is said when it is. */
  copies: string;
  copied: string;
  text: () => string;
  /** The same in other forms: `label` is the way to copy one, `copied` what is said when it is. */
  more?: readonly { label: string; copied: string; text: string }[];
  /** What is written to the file. */
  load: () => unknown;
}

const writeJson = async (load: () => unknown) => JSON.stringify(await load(), null, 2);

export function CopyMenu({ what, of, copies, copied, text, more = [], load }: Props) {
  const label = `Copy or export the ${what}`;
  return (
    <ActMenu
      label={label}
      trigger={<Button look="plain" size="small" icon="copy" aria-label={label} />}
      acts={[
        {
          id: "copy",
          label: copies,
          icon: "copy",
          onAction: () => void copyText(text(), copied),
        },
        ...more.map((one) => ({
          id: one.label,
          label: one.label,
          icon: "copy" as const,
          onAction: () => void copyText(one.text, one.copied),
        })),
        {
          id: "json",
          label: "Download as JSON",
          icon: "download",
          onAction: () => void saveFile(fileName(`${of} ${what}`, "json"), writeJson(load), `The ${what}`),
        },
      ]}
    />
  );
}
