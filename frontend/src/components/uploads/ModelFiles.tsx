// Models as files: JSON, CSVW metadata and RML are read and written.
import { useRef, useState } from "react";
import { ApiError } from "@/api/client";
import { convertModel, type DataModel as Model, type ModelChanges, type ModelForm } from "@/api/dataModel";
import { ActMenu, Button } from "@/components/kit/controls";
import { download, fileName } from "@/components/kit/files";
import { useAct } from "@/components/kit/useAct";
import { NotAModelError, readModelFile } from "@/view/dataModel";

export function ModelFile({ onRead }: { onRead: (changes: ModelChanges) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [trouble, setTrouble] = useState("");
  const read = async (file: File) => {
    try {
      onRead(readModelFile((await convertModel(await file.text(), "json")).text));
      setTrouble("");
    } catch (error) {
      if (!(error instanceof NotAModelError || error instanceof ApiError)) throw error;
      setTrouble(`${file.name} cannot be used as a model: ${error.message}.`);
    }
  };
  return (
    <>
      <Button size="small" onPress={() => input.current?.click()}>
        Use a model from a file
      </Button>
      <input
        ref={input}
        type="file"
        accept=".json,.ttl,.rml,application/json,text/turtle"
        hidden
        aria-label="File of a data model"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          event.target.value = "";
          if (file) void read(file);
        }}
      />
      {trouble && (
        <span className="small error" role="alert">
          {trouble}
        </span>
      )}
    </>
  );
}

const FORMS: readonly { id: ModelForm; label: string; ending: string }[] = [
  { id: "json", label: "As JSON: all that can be chosen", ending: "json" },
  { id: "csvw", label: "As CSVW: W3C metadata of CSV files", ending: "csv-metadata.json" },
  { id: "rml", label: "As RML: a mapping to RDF, in Turtle", ending: "rml.ttl" },
];

export function DownloadModel({ model, name }: { model: Model; name: string }) {
  const save = useAct(
    async ({ id, ending }: (typeof FORMS)[number]) => {
      const text = JSON.stringify(model, null, 1);
      download(fileName(name, ending), id === "json" ? text : (await convertModel(text, id)).text);
    },
    { failed: "The model could not be saved." },
  );
  return (
    <ActMenu
      label="Download model"
      acts={FORMS.map((form) => ({ id: form.id, label: form.label, onAction: () => save.mutate(form) }))}
      trigger={<Button size="small">Download model</Button>}
    />
  );
}
