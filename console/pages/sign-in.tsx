import { useEffect, useRef } from "preact/hooks";
import type { SessionResponse } from "../../runtime/console/responses.ts";
import { post } from "../api.ts";
import { Notice, PageHeading, useAction } from "../components.tsx";

/** Signs in with a link's token, but only after a click, so that link scanners do not use up the token. */
export function SignInPage({
  token,
  problem,
  onSignedIn,
}: {
  readonly token: string | null;
  readonly problem: string | null;
  readonly onSignedIn: (session: SessionResponse) => void;
}) {
  const action = useAction();
  const heldToken = useRef(token);
  useEffect(() => {
    if (token === null) return;
    heldToken.current = token;
    // Removes the token from the address bar and the history.
    history.replaceState(null, "", "#/sign-in");
  }, [token]);
  const signIn = (): Promise<void> =>
    action.run(async () => {
      const session = await post<SessionResponse>("session", { token: heldToken.current });
      history.replaceState(null, "", "#/keys");
      dispatchEvent(new HashChangeEvent("hashchange"));
      onSignedIn(session);
      return null;
    });
  return (
    <main id="main" class="sign-in">
      <PageHeading>Ashlar console</PageHeading>
      {heldToken.current === null || heldToken.current === "" ? (
        <p>
          Run <code>ashlar console login</code> on the machine that runs the service, and open the link that it prints.
        </p>
      ) : (
        <button type="button" class="primary" disabled={action.isRunning} onClick={() => void signIn()}>
          Sign in
        </button>
      )}
      <Notice text={action.text ?? problem} isError />
    </main>
  );
}
