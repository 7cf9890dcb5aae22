import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { IndentationText, Node, type ObjectLiteralExpression, Project, QuoteKind, type SourceFile, SyntaxKind } from "ts-morph";
import type { Handler } from "../model/model.ts";
import { kebabCase } from "../model/names.ts";
import { OutputError } from "../output/output-error.ts";
import { resolverPath } from "./missing-resolvers.ts";

/**
 * Registers a resolver in the `index.ts` of its folder: adds an import and an entry in the exported object, both in alphabetical order, and leaves the rest
 * unchanged. Creates the file for the first resolver of a domain. Returns the written file's path, or null if the resolver is already registered.
 * @throws {OutputError} if `index.ts` does not export the object.
 */
export async function registerResolver(root: string, handler: Pick<Handler, "id" | "domain">): Promise<string | null> {
  const path = join(dirname(resolverPath(handler)), "index.ts");
  const project = new Project({
    skipAddingFilesFromTsConfig: true,
    skipFileDependencyResolution: true,
    manipulationSettings: { indentationText: IndentationText.TwoSpaces, quoteKind: QuoteKind.Double, useTrailingCommas: true },
  });
  const target = join(root, path);
  const file = existsSync(target)
    ? project.addSourceFileAtPath(target)
    : project.createSourceFile(target, emptyIndex(handler.domain), { overwrite: true });
  const handlers = handlersObject(file, handler.domain);
  if (handlers === null) {
    throw new OutputError(
      `Cannot register ${handler.id}: ${path} does not export an object "${handler.domain}Handlers". Add the entry manually.`,
    );
  }
  if (handlers.getProperty(handler.id) !== undefined) return null;
  addImport(file, handler.id);
  addEntry(handlers, handler.id);
  await file.save();
  return path;
}

const emptyIndex = (domain: string): string =>
  `import type { Handlers } from "../context.ts";\n\n/** The operations of ${domain}. */\nexport const ${domain}Handlers = {\n} satisfies Partial<Handlers>;\n`;

const handlersObject = (file: SourceFile, domain: string): ObjectLiteralExpression | null => {
  const initializer = file.getVariableDeclaration(`${domain}Handlers`)?.getInitializer();
  const value = Node.isSatisfiesExpression(initializer) ? initializer.getExpression() : initializer;
  return value?.asKind(SyntaxKind.ObjectLiteralExpression) ?? null;
};

const addImport = (file: SourceFile, id: string): void => {
  const moduleSpecifier = `./${kebabCase(id)}.ts`;
  const imports = file.getImportDeclarations();
  const next = imports.findIndex(
    (declaration) => declaration.isModuleSpecifierRelative() && declaration.getModuleSpecifierValue() > moduleSpecifier,
  );
  file.insertImportDeclaration(next === -1 ? imports.length : next, { namedImports: [id], moduleSpecifier });
};

const addEntry = (handlers: ObjectLiteralExpression, id: string): void => {
  const names = handlers.getProperties().map((property) => property.getText());
  const next = names.findIndex((name) => name > id);
  handlers.insertShorthandPropertyAssignment(next === -1 ? names.length : next, { name: id });
};
