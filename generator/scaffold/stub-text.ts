import { IndentationText, Project, QuoteKind, VariableDeclarationKind } from "ts-morph";
import type { Handler } from "../model/model.ts";

/** The text of a resolver that compiles and responds with 501 until it is implemented. */
export function stubText({ id, operation }: Pick<Handler, "id" | "operation">): string {
  const project = new Project({
    useInMemoryFileSystem: true,
    manipulationSettings: { indentationText: IndentationText.TwoSpaces, quoteKind: QuoteKind.Double },
  });
  const file = project.createSourceFile("stub.ts");
  file.addImportDeclarations([
    { namedImports: ["RequestError"], moduleSpecifier: "../../lib/request-error.ts" },
    { isTypeOnly: true, namedImports: ["Handlers"], moduleSpecifier: "../context.ts" },
  ]);
  const statement = file.addVariableStatement({
    isExported: true,
    declarationKind: VariableDeclarationKind.Const,
    declarations: [
      {
        name: id,
        type: `Handlers["${id}"]`,
        initializer: `async () => {\n  throw new RequestError(501, "${id} is not implemented yet.");\n}`,
      },
    ],
  });
  statement.addJsDoc(`${operation.summary.replaceAll("*/", "*\\/")}: \`${operation.path}\`.`);
  file.formatText({ indentSize: 2 });
  return file.getFullText();
}
