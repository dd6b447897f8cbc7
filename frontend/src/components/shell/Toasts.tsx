import { Button } from "@/components/kit/controls";
import { useToasts } from "@/store/toasts";

export function Toasts() {
  const { toasts, drop } = useToasts();
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text, act }) => (
        <div key={id} className="toast">
          <span>{text}</span>
          {act && (
            <Button
              size="small"
              onPress={() => {
                act.run();
                drop(id);
              }}
            >
              {act.label}
            </Button>
          )}
        </div>
      ))}
    </div>
  );
}
