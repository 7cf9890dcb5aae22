import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SessionResponse } from "../runtime/console/responses.ts";
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { ApiError, get, listenForSignOut, post } from "./api.ts";
import { ChainPage } from "./pages/chain.tsx";
import { ChainsPage } from "./pages/chains.tsx";
import { KeysPage } from "./pages/keys.tsx";
import { LogPage } from "./pages/log.tsx";
import { SignInPage } from "./pages/sign-in.tsx";
import { UsagePage } from "./pages/usage.tsx";

const pages = { keys: "Keys", usage: "Usage", chains: "Chains", log: "Log" } as const;

const readHash = (): readonly string[] => location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);

function useHash(): readonly string[] {
  const [parts, setParts] = useState(readHash);
  useEffect(() => {
    const update = (): void => setParts(readHash());
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return parts;
}

function Page({ parts }: { readonly parts: readonly string[] }) {
  const [name, argument] = parts;
  if (name === "usage") return <UsagePage keyId={argument ?? ""} key={argument} />;
  if (name === "chains") return argument === undefined || argument === "" ? <ChainsPage /> : <ChainPage name={argument} key={argument} />;
  if (name === "log") return <LogPage />;
  return <KeysPage />;
}

function App() {
  const parts = useHash();
  const [session, setSession] = useState<SessionResponse | null | undefined>(undefined);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    listenForSignOut(() => setSession(null));
    get<SessionResponse>("session").then(setSession, (error: unknown) => {
      if (error instanceof ApiError && error.status !== 401) setProblem(error.message);
      setSession(null);
    });
  }, []);
  const [name, argument] = parts;
  if (session === undefined) return <p class="loading">Loading…</p>;
  if (session === null || name === "sign-in")
    return <SignInPage token={name === "sign-in" ? (argument ?? null) : null} problem={problem} onSignedIn={setSession} />;
  const current = name !== undefined && name in pages ? name : "keys";
  return (
    <>
      <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>("#main h1")?.focus()}>
        Skip to content
      </button>
      <header>
        <strong>Ashlar</strong>
        <nav aria-label="Pages">
          {Object.entries(pages).map(([path, title]) => (
            <a key={path} href={`#/${path}`} aria-current={path === current ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <span class="who">{session.actor}</span>
        <button
          type="button"
          onClick={() =>
            void post("session/end").then(
              () => setSession(null),
              () => setSession(null),
            )
          }
        >
          Sign out
        </button>
      </header>
      <main id="main">
        <Page parts={parts} />
      </main>
    </>
  );
}

const root = document.getElementById("root");
if (root !== null) render(<App />, root);
