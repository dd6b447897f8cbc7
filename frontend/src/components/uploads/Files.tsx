// Files to be sent: dropped or chosen, each with how much has gone, and pause, go on and remove.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, type ReactNode } from "react";
import { DropZone, FileTrigger, Text } from "react-aria-components";
import { arrivingQuery, dropUpload, uploadKeys } from "@/api/uploads";
import { Button } from "@/components/kit/controls";
import { Ago, Progress, troubleOf } from "@/components/kit/feedback";
import { bytes, duration, percent } from "@/view/format";
import { rateOf, timeLeft, useUploads, type Sent } from "@/store/uploads";

/** The files of a purpose; `ids` are set once all of them have arrived. */
export function useFiles(purpose: string): { files: readonly Sent[]; ids: readonly string[] | null } {
  const all = useUploads((state) => state.files);
  return useMemo(() => {
    const files = all.filter((file) => file.purpose === purpose);
    const ids = files.map((file) => file.id).filter((id) => id !== null);
    return { files, ids: files.length > 0 && ids.length === files.length ? ids : null };
  }, [all, purpose]);
}

function line(file: Sent): string {
  if (file.state === "done") return bytes(file.size);
  const share = `${bytes(file.sent)} of ${bytes(file.size)}`;
  if (file.state === "paused") return `${share} · paused`;
  if (file.state === "failed") return share;
  const now = Date.now();
  const rate = rateOf(file, now);
  const left = timeLeft(file, now);
  return [
    share,
    file.size ? percent(file.sent / file.size) : "",
    rate === null ? "" : `${bytes(Math.round(rate))}/s`,
    left === null ? "" : `${duration(left)} left`,
  ]
    .filter(Boolean)
    .join(" · ");
}

export function FileRow({ file }: { file: Sent }) {
  const { pause, resume, remove } = useUploads.getState();
  const trouble = file.error && troubleOf(file.error);
  return (
    <li>
      <div className="row">
        <span className="grow elide" title={file.name}>
          <bdi>{file.name}</bdi>
        </span>
        <span className="muted small tabular nowrap">{line(file)}</span>
        {file.state === "done" && <span className="badge good">sent</span>}
        {file.state === "sending" && (
          <Button
            size="small"
            look="plain"
            icon="pause"
            label={`Pause ${file.name}`}
            onPress={() => pause(file.key)}
          />
        )}
        {(file.state === "paused" || file.state === "failed") && (
          <Button
            size="small"
            look="plain"
            icon="play"
            label={`Resume ${file.name}`}
            onPress={() => resume(file.key)}
          />
        )}
        <Button
          look="plain"
          size="small"
          icon="close"
          label={file.state === "done" ? `Remove ${file.name}` : `Stop and remove ${file.name}`}
          onPress={() => remove(file.key)}
        />
      </div>
      {file.state !== "done" && (
        <Progress label={`Sending ${file.name}`} share={file.size ? file.sent / file.size : 0} />
      )}
      {trouble && (
        <p className="small bad-text" role="alert">
          {trouble.message} {trouble.hint} What has arrived is kept: resume, or remove it.
        </p>
      )}
    </li>
  );
}

/** What an earlier visit began to send and did not finish. */
function Unfinished({ sending }: { sending: boolean }) {
  const client = useQueryClient();
  const { data } = useQuery(arrivingQuery);
  const drop = useMutation({
    mutationFn: dropUpload,
    onSettled: () => client.invalidateQueries({ queryKey: uploadKeys.all }),
  });
  const rows = (data?.results ?? []).filter((one) => !one.complete);
  if (sending || rows.length === 0) return null;
  return (
    <div className="small">
      <p className="muted">Not finished. Choose the same file again, and it resumes where it stopped:</p>
      <ul className="files">
        {rows.map((one) => (
          <li key={one.id} className="row">
            <span className="grow elide">
              <bdi>{one.name}</bdi>
            </span>
            <span className="muted tabular nowrap">
              {bytes(one.offset)} of {bytes(one.length)} · <Ago iso={one.created_at} />
            </span>
            <Button
              look="plain"
              size="small"
              icon="trash"
              label={`Forget ${one.name}`}
              onPress={() => drop.mutate(one.id)}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface FilesProps {
  purpose: string;
  multiple?: boolean;
  onAdded?: (files: readonly File[]) => void;
  /** What may be dropped here. */
  children?: ReactNode;
}

export function Files({ purpose, multiple = true, onAdded, children }: FilesProps) {
  const { files } = useFiles(purpose);
  const add = (chosen: readonly File[]) => {
    const some = multiple ? chosen : chosen.slice(0, 1);
    const { add: send, remove } = useUploads.getState();
    if (!multiple && some.length) for (const file of files) remove(file.key);
    send(purpose, some);
    onAdded?.(some);
  };
  return (
    <>
      <DropZone
        className="drop"
        onDrop={(event) => {
          void Promise.all(
            event.items.flatMap((item) => (item.kind === "file" ? [item.getFile()] : [])),
          ).then(add);
        }}
      >
        <Text slot="label">{multiple ? "Drop files here, or" : "Drop a file here, or"}</Text>
        <FileTrigger allowsMultiple={multiple} onSelect={(list) => add([...(list ?? [])])}>
          <Button icon="upload">{multiple ? "Choose files" : "Choose a file"}</Button>
        </FileTrigger>
        {children}
      </DropZone>
      {files.length > 0 && (
        <ul className="files" aria-label="Files">
          {files.map((file) => (
            <FileRow key={file.key} file={file} />
          ))}
        </ul>
      )}
      <Unfinished sending={files.length > 0} />
    </>
  );
}
