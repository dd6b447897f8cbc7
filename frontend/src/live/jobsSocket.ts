// Job and graph changes, for the tray and for the pages that list graphs.
import type { Id, Job } from "@/api/types";
import { useJobStore } from "@/store/jobStore";
import { ReconnectingSocket, socketUrl } from "./socket";

type Frame = { type: "job"; job: Job } | { type: "graph"; graph: Id };

export interface JobNews {
  /** Jobs may have ended while the socket was down: read them again. */
  onConnect: () => void;
  /** The socket went: perhaps the server did. */
  onLoss: () => void;
  onJob: (job: Job) => void;
  onGraph: (graph: Id) => void;
}

export function followJobs(news: JobNews, base = socketUrl("")): () => void {
  const store = useJobStore.getState();
  const socket = new ReconnectingSocket({
    url: () => `${base}/ws/jobs`,
    isFinal: (code) => code === 4401,
    onState: (state) => {
      store.setLive(state.kind === "live");
      if (state.kind === "live") news.onConnect();
      if (state.kind === "waiting") {
        store.setCrowded(state.crowded);
        news.onLoss();
      }
    },
    onFrame: (raw) => {
      const frame = raw as Frame;
      store.setCrowded(false);
      if (frame.type === "job") {
        store.put([frame.job]);
        news.onJob(frame.job);
      } else {
        news.onGraph(frame.graph);
      }
      return "ok";
    },
  });
  return () => {
    socket.close();
  };
}
