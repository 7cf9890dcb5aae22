import { useCallback, useEffect, useState } from "preact/hooks";
import { get, messageOf } from "./api.ts";

/** The state of a load: its data, or the last attempt's error. */
export interface Loaded<T> {
  readonly data: T | null;
  readonly error: string | null;
  readonly reload: () => void;
}

/** Loads a path; loads again when the path changes, on request and, if given, at an interval. A failed reload keeps the previous data. */
export function useLoad<T>(path: string, intervalMilliseconds?: number): Loaded<T> {
  const [state, setState] = useState<{ readonly path: string; readonly data: T | null; readonly error: string | null }>({
    path,
    data: null,
    error: null,
  });
  const [version, setVersion] = useState(0);
  const reload = useCallback(() => setVersion((before) => before + 1), []);
  useEffect(() => {
    let isCurrent = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async (): Promise<void> => {
      try {
        const data = await get<T>(path);
        if (isCurrent) setState({ path, data, error: null });
      } catch (error) {
        if (isCurrent) setState((before) => ({ path, data: before.path === path ? before.data : null, error: messageOf(error) }));
      }
      if (isCurrent && intervalMilliseconds !== undefined) timer = setTimeout(() => void load(), intervalMilliseconds);
    };
    void load();
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [path, intervalMilliseconds, version]);
  return { data: state.path === path ? state.data : null, error: state.error, reload };
}
