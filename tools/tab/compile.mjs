// Compiles the Python files of a folder for the browser, in place of their sources: node compile.mjs PYODIDE FOLDER 0|2
import { pathToFileURL } from "node:url";

const [runtime, folder, optimize] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${runtime}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: `${runtime}/` });
python.FS.mkdirTree("/made");
python.FS.mount(python.FS.filesystems.NODEFS, { root: folder }, "/made");
python.runPython(`
import os, py_compile
for place, folders, names in os.walk("/made"):
    for name in names:
        path = os.path.join(place, name)
        # Pyodide hands docstrings on to its own types. MicroPython's and templates' sources are data: boards get them
        # as they are.
        if name.endswith(".py") and "/scanner/device/" not in path:
            py_compile.compile(path, path + "c", path.removeprefix("/made/"), doraise=True,
                               optimize=0 if "/lodestone/" in path or "pyodide/" in path else ${optimize},
                               invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
            os.unlink(path)
`);
