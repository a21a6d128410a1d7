# What is installed, and the packages that CPack makes of it: a .deb, and an archive to unpack anywhere.
# tools/package.sh makes both, from the preset "package".
include(GNUInstallDirs)
set(share ${CMAKE_INSTALL_DATADIR})
set(packaging ${PROJECT_SOURCE_DIR}/packaging)
set(described ${PROJECT_BINARY_DIR}/described)

# Archives of files carry the time of the commit, so that two builds give the same bytes: see tools/package.sh.
set(WARPLENS_CONTACT warplens@example.org CACHE STRING "The address of whoever makes the packages")
string(TIMESTAMP RELEASE_DATE "%Y-%m-%d" UTC)  # By SOURCE_DATE_EPOCH, where it is set
string(TIMESTAMP RELEASE_TIME "%a, %d %b %Y %H:%M:%S" UTC)
configure_file(${packaging}/changelog.Debian ${described}/changelog.Debian @ONLY)
configure_file(${packaging}/warplens.metainfo.xml ${described}/org.warplens.warplens.metainfo.xml @ONLY)

# The program itself knows its options.
foreach(form man bash zsh fish)
  add_custom_command(OUTPUT ${described}/${form} DEPENDS warplens VERBATIM
    COMMAND sh -c "exec \"$1\" describe ${form} >\"$2\"" sh $<TARGET_FILE:warplens> ${described}/${form})
  list(APPEND forms ${described}/${form})
endforeach()
set(zipped warplens.1.gz changelog.gz changelog.Debian.gz)
list(TRANSFORM zipped PREPEND ${described}/)
add_custom_command(OUTPUT ${zipped} DEPENDS ${described}/man ${described}/changelog.Debian ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  COMMAND sh -c "gzip -9nc man >warplens.1.gz && gzip -9nc \"$1\" >changelog.gz && gzip -9nc changelog.Debian >changelog.Debian.gz"
    sh ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  WORKING_DIRECTORY ${described} VERBATIM)
add_custom_target(warplens_descriptions ALL DEPENDS ${forms} ${zipped})

install(TARGETS warplens RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${packaging}/warplens.desktop DESTINATION ${share}/applications)
install(FILES ${packaging}/warplens.svg DESTINATION ${share}/icons/hicolor/scalable/apps)
install(FILES ${packaging}/warplens.mime.xml DESTINATION ${share}/mime/packages RENAME warplens.xml)
install(FILES ${described}/org.warplens.warplens.metainfo.xml DESTINATION ${share}/metainfo)
install(FILES ${described}/warplens.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${described}/bash DESTINATION ${share}/bash-completion/completions RENAME warplens)
install(FILES ${described}/zsh DESTINATION ${share}/zsh/vendor-completions RENAME _warplens)
install(FILES ${described}/fish DESTINATION ${share}/fish/vendor_completions.d RENAME warplens.fish)
install(FILES ${packaging}/copyright ${described}/changelog.gz ${described}/changelog.Debian.gz DESTINATION ${share}/doc/warplens)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${share}/doc/warplens FILES_MATCHING PATTERN *.md PATTERN *.png PATTERN *.ipynb)
# The wheel: the program within the Python package, which finds it there.
install(TARGETS warplens RUNTIME DESTINATION warplens/bin COMPONENT python EXCLUDE_FROM_ALL)
install(FILES ${packaging}/copyright DESTINATION warplens COMPONENT python EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB TZST)
set(CPACK_PACKAGE_NAME warplens)
set(CPACK_PACKAGE_CONTACT "The Warplens authors <${WARPLENS_CONTACT}>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "see what CUDA kernels do to a GPU's memory")
set(CPACK_PACKAGE_DESCRIPTION "Warplens shows which bytes each of a warp's 32 lanes addresses, how those
accesses become sectors and shared-memory wavefronts, and what it costs.
Every picture and figure is drawn from an exact record of what the kernel's
compiled code did: its PTX is replayed on the CPU, so neither a GPU nor CUDA
is needed.")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_FILE_NAME warplens-${PROJECT_VERSION}-linux-x86_64)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libcairo2, libegl1, libgl1, libx11-6, libxcursor1, libxext6, libxi6, libxinerama1, libxrandr2, libxrender1, libxcb1")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS libopenblas0)
include(CPack)
