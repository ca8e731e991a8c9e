"""Documents for building a board: drawings at full size, wiring tables, lists of parts, a power budget.

All of them follow from one board file, so that no document contradicts another, or what the program does:

- ``new_board.py`` adds the sensor part and the magnet to a first board file, which follows from a game's layout and the
  chosen sensors (:mod:`firmware_host.link.new_board`).
- ``plate.py`` turns the layout into geometry in millimetres (cuts, holes, print), with the wells of ``octagon.py``;
  ``files.py`` writes it as SVG, PDF or DXF.
- ``netlist.py`` puts the circuit together: each scheme describes its own part, and what is common to all boards
  (header, level shifter, pixels, power) is added. No document asks which scheme it is.
- ``designators.py`` gives each part of the circuit its name (``U3``), ``parts_list.py`` is that circuit as a list of
  what to buy, ``tables.py`` shows people what goes where.
- ``magnets.py`` and ``budget.py`` calculate.

Calculations take the worst case of everything that varies (a part's data sheet, a stone's place, a wire's length), not
the usual one: a board is built once, and nobody sees later why a sensor sticks or a far pixel turns yellow. Two of them
decide which boards are possible at all. **Magnets:** a sensor has to see its own stone whatever the neighbours are, and
must not see the neighbours' alone; the field of a disc is calculated exactly (``fields.py``). **Current:** pixels
at full white take far more than a game ever shows. The software limits them, and supply and wires are chosen for that
limit; the fuse protects wires where the limit fails.

Constants name their source (a data sheet, a standard, a measurement); an assumption says that it is one.
"""
