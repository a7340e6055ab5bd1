"""The result of a run: arrays by name, energies, loads, spectra, files, figures."""
