import { useState } from "preact/hooks";
import type { CreatedKey, KeyItem } from "../../runtime/console/responses.ts";
import { post } from "../api.ts";
import { Dialog, Notice, numberColumn, PageHeading, Table, useAction } from "../components.tsx";
import { formatNumber, formatTime } from "../format.ts";
import { useLoad } from "../use-load.ts";
import { KeyForm, type KeyInput } from "./key-form.tsx";

const stateOf = ({ revokedAt, expiresAt }: KeyItem): "active" | "revoked" | "expired" =>
  revokedAt !== null ? "revoked" : expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? "expired" : "active";

const creditsOf = ({ usedCredits, credits, dailyCredits, monthlyCredits }: KeyItem): string =>
  [
    `${formatNumber(usedCredits)}${credits === null ? "" : ` of ${formatNumber(credits)}`}`,
    ...(dailyCredits === null ? [] : [`${formatNumber(dailyCredits)} per day`]),
    ...(monthlyCredits === null ? [] : [`${formatNumber(monthlyCredits)} per month`]),
  ].join(", ");

/** Shows a new key; this is the only time that it can be shown. */
function CreatedDialog({ created, onClose }: { readonly created: CreatedKey; readonly onClose: () => void }) {
  const [isCopied, setIsCopied] = useState(false);
  return (
    <Dialog title={`Key ${created.id} created`} onClose={onClose}>
      <p>Save it now: only its hash is stored, and it is not shown again.</p>
      <p>
        <code class="secret">{created.key}</code>
      </p>
      <p class="buttons">
        <button type="button" onClick={() => void navigator.clipboard?.writeText(created.key).then(() => setIsCopied(true))}>
          {isCopied ? "Copied" : "Copy"}
        </button>
        <button type="button" class="primary" onClick={onClose}>
          Done
        </button>
      </p>
    </Dialog>
  );
}

function RevocationDialog({
  item,
  onClose,
  onConfirm,
}: {
  readonly item: KeyItem;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}) {
  return (
    <Dialog title={`Revoke key ${item.id}`} onClose={onClose}>
      <p>Servers stop accepting “{item.label}” within 5 seconds. A revoked key cannot be used again.</p>
      <p class="buttons">
        <button type="button" class="danger" onClick={onConfirm}>
          Revoke
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </p>
    </Dialog>
  );
}

type Opened =
  | { readonly kind: "new" }
  | { readonly kind: "edit" | "revoke"; readonly item: KeyItem }
  | { readonly kind: "created"; readonly created: CreatedKey };

/** Lists, creates, edits and revokes keys. */
export function KeysPage() {
  const { data, error, reload } = useLoad<readonly KeyItem[]>("keys");
  const action = useAction();
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = (): void => setOpened(null);
  const create = async (input: KeyInput): Promise<void> => {
    const created = await post<CreatedKey>("keys", input);
    reload();
    setOpened({ kind: "created", created });
  };
  const update = async ({ id }: KeyItem, input: KeyInput): Promise<void> => {
    const { message } = await post(`keys/${id}`, input);
    reload();
    close();
    await action.run(async () => message);
  };
  const revoke = ({ id }: KeyItem): Promise<void> =>
    action.run(async () => {
      close();
      const { message } = await post(`keys/${id}/revoke`);
      reload();
      return message;
    });
  return (
    <>
      <PageHeading>Keys</PageHeading>
      <p class="buttons">
        <button type="button" class="primary" onClick={() => setOpened({ kind: "new" })}>
          Create key
        </button>
      </p>
      <Notice text={error} isError />
      <Notice text={action.text} isError={action.isError} />
      <Table
        caption="Keys"
        head={[numberColumn("Id"), "Label", "State", "Credits", numberColumn("Requests"), "Created", "Expires", "Last use", "Actions"]}
      >
        {(data ?? []).map((item) => {
          const state = stateOf(item);
          return (
            <tr key={item.id}>
              <td class="number">{item.id}</td>
              <th scope="row">{item.label}</th>
              <td>
                <span class={`state ${state}`}>{state}</span>
              </td>
              <td>{creditsOf(item)}</td>
              <td class="number">{formatNumber(item.calls)}</td>
              <td class="time">{formatTime(item.createdAt)}</td>
              <td class="time">{formatTime(item.expiresAt)}</td>
              <td class="time">{formatTime(item.lastUsedAt)}</td>
              <td class="buttons">
                <a class="button" href={`#/usage/${item.id}`} aria-label={`Usage of key ${item.id}`}>
                  Usage
                </a>
                {item.revokedAt === null ? (
                  <>
                    <button type="button" aria-label={`Edit key ${item.id}`} onClick={() => setOpened({ kind: "edit", item })}>
                      Edit
                    </button>
                    <button
                      type="button"
                      class="danger"
                      aria-label={`Revoke key ${item.id}`}
                      onClick={() => setOpened({ kind: "revoke", item })}
                    >
                      Revoke
                    </button>
                  </>
                ) : null}
              </td>
            </tr>
          );
        })}
      </Table>
      {data?.length === 0 ? <p>There are no keys.</p> : null}
      {opened?.kind === "new" ? <KeyForm item={null} onClose={close} onSave={create} /> : null}
      {opened?.kind === "edit" ? <KeyForm item={opened.item} onClose={close} onSave={(input) => update(opened.item, input)} /> : null}
      {opened?.kind === "revoke" ? (
        <RevocationDialog item={opened.item} onClose={close} onConfirm={() => void revoke(opened.item)} />
      ) : null}
      {opened?.kind === "created" ? <CreatedDialog created={opened.created} onClose={close} /> : null}
    </>
  );
}
